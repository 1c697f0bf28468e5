"""The memory of ``nostart run`` across restarts: one small file for each launch, in the folder of the transcripts."""

import contextlib
import hashlib
import os
from collections.abc import Mapping
from pathlib import Path

import msgspec

from agent import breaker
from agent.breaker import Remembered

FOLDER = ".breaker"
_READ = ("VLLM_", "SGLANG_", "LITELLM_", "HF_", "CUDA_", "PYTHONPATH", "PATH")


class Memory:
    """What is remembered of one launch. A memory that cannot be read or written is none: a server is never kept from starting by that."""

    def __init__(self, transcripts: Path, argv: tuple[str, ...], environment: Mapping[str, str]) -> None:
        named = [f"{name}={value}" for name, value in environment.items() if name.startswith(_READ)]
        key = hashlib.sha256(breaker.fingerprint(argv, named, _files(argv))).hexdigest()[:32]
        self._path = transcripts / FOLDER / f"{key}.json"

    def read(self) -> Remembered | None:
        """What is remembered."""
        with contextlib.suppress(OSError, msgspec.MsgspecError):
            return msgspec.json.decode(self._path.read_bytes(), type=Remembered)
        return None

    def write(self, remembered: Remembered | None) -> None:
        """Remember it; nothing forgets the launch."""
        with contextlib.suppress(OSError):
            if remembered is None:
                self._path.unlink(missing_ok=True)
                return
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with open(self._path, "wb", opener=_private) as file:
                file.write(msgspec.json.encode(remembered))


def _files(argv: tuple[str, ...]) -> list[tuple[str, int, int]]:
    """The files that the words name, with size and time of writing: one that was corrected makes it another launch."""
    found = []
    for word in argv:
        path = Path(word.partition("=")[2] if word.startswith("--") and "=" in word else word)
        with contextlib.suppress(OSError, ValueError):
            if path.is_file():
                state = path.stat()
                found.append((str(path), state.st_size, state.st_mtime_ns))
    return found


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
