"""From a launch as recorded (secrets as ``$NAME``, files as ``{run}/NAME``) to the program as the target must execute it."""

import os
import re
import secrets
from pathlib import Path

from probes.targets.target import Start, Target
from transcripts.errors import TranscriptError
from transcripts.records import FileCopy, Fix, Launch
from transcripts.redact import Vault

_RUN = "{run}"


def revealed(text: str, names: tuple[str, ...], vault: Vault) -> str:
    """`text` with the ``$NAME`` of each of `names` replaced by its value; a name that the vault does not know stays.

    A longer name that only begins so (``$HF_TOKEN_PATH``) is another variable.
    """
    if "$" not in text or not names:
        return text
    alternatives = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    return re.sub(rf"\$(?:{alternatives})(?![A-Za-z0-9_])", lambda match: vault.reveal(match.group(0)), text)


async def prepare(launch: Launch, fix: Fix | None, mark: str, target: Target, vault: Vault, folder: Path) -> Start:
    """The start of `launch`: its secrets revealed, fresh ones made, the fix's files placed.

    A file without secrets lies in ``folder/files``, where it outlives the run; one with secrets only on the target, until that is closed.

    Raises:
        TranscriptError: a file cannot be written.
    """
    generated = fix.generated if fix else ()
    for name in generated:
        if name not in vault.names:
            vault.learn(name, "sk-" + secrets.token_hex(24))
    names = (*launch.secrets, *generated)
    places = {f"{_RUN}/{file.name}": await _placed(file, names, target, vault, folder) for file in (fix.files if fix else ())}

    def real(text: str) -> str:
        for placeholder, path in places.items():
            text = text.replace(placeholder, path)
        return revealed(text.replace(_RUN, str(folder / "files")), names, vault)

    return Start(
        argv=tuple(real(word) for word in launch.argv),
        env={name: real(value) for name, value in launch.env.items()},
        unset=launch.unset,
        cwd=real(launch.cwd) if launch.cwd else None,
        mark=mark,
    )


async def _placed(file: FileCopy, names: tuple[str, ...], target: Target, vault: Vault, folder: Path) -> str:
    path = folder / "files" / Path(file.name).name
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with open(path, "w", encoding="utf-8", opener=_private) as out:  # noqa: ASYNC230 - a small file of ours
            out.write(file.text)
    except OSError as error:
        raise TranscriptError(f"cannot write {path}: {error.strerror or error}; name another folder with --transcripts DIR") from error
    real = revealed(file.text, names, vault)
    if target.name == "local" and real == file.text:
        return str(path)
    return await target.place(file.name, real.encode())


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
