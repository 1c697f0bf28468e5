"""Asks every probe one of its recorded questions for real, in the folder given, and prints the outcomes and the port table before and after, as JSON.

A program of its own, so that it can be run in a network of its own.
"""

import asyncio
import json
import socket
import sys
import tomllib
from pathlib import Path

from msgspec import structs

from probes.catalogue import PROBES
from probes.guard import refusal
from probes.probe import read_answer
from probes.situations import question_of, situation_of
from probes.targets.local import LocalTarget

RECORDED = Path(__file__).parents[1] / "probes"


async def outcomes(folder: Path) -> dict[str, str]:
    """The outcome of each probe. Programs of the recording host are replaced by this Python where they are one."""
    found: dict[str, str] = {}
    target = LocalTarget()
    for probe in PROBES:
        for path in sorted((RECORDED / probe.name.replace("-", "_")).glob("*.toml")):
            file = tomllib.loads(path.read_text())
            situation, question = situation_of(file), question_of(file)
            command = probe.command(question, situation)
            if command.argv[0].rpartition("/")[2].startswith("python"):
                command = structs.replace(command, argv=(sys.executable, *command.argv[1:]))
            command = structs.replace(command, cwd=str(folder), timeout=20.0)
            assert not refusal(command), refusal(command)
            output = await target.run(command)
            outcome = read_answer(probe, question, output).outcome.value
            found[probe.name] = outcome
            if outcome == "observed":
                break
    await target.close()
    return found


def ports() -> list[str]:
    """The sockets of this network that listen, as the kernel lists them."""
    found = []
    for name in ("tcp", "tcp6", "udp", "udp6"):
        lines = Path(f"/proc/net/{name}").read_text().splitlines()[1:]
        found += [f"{name} {line.split()[1]} {line.split()[9]}" for line in lines if line.split()[3] in ("0A", "07")]
    return sorted(found)


def main() -> None:
    """Ask, and print."""
    with socket.socket() as held:
        held.bind(("0.0.0.0", 0))
        held.listen()
        before = ports()
        told = asyncio.run(outcomes(Path(sys.argv[1])))
        print(json.dumps({"outcomes": told, "before": before, "after": ports()}))


if __name__ == "__main__":
    main()
