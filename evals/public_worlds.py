"""Public launch failures as worlds: only the lines are known, nothing can be asked: ``python -m evals.public_worlds FOLDER FILE.jsonl…``.

A case is one JSON object a line, as `evals.public_cases` takes it. A case that is told by somebody becomes a ``public-report``, one that has the
complete argv and what a real parser printed for it, and no reporter, is ``derived``.
"""

import hashlib
import io
import json
import sys
from pathlib import Path
from typing import Any

from agent.cli.options import as_signal
from agent.reading.scan import scan
from evals.store import save
from evals.world import LOG, Outcome, Truth, World
from transcripts.records import Attempt, Launch

_SOLID = ("maintainer", "reporter", "merged_pr", "pr")


def public_world(case: dict[str, Any], kind: str) -> tuple[World, Truth]:
    """The world and the truth of one case; `kind` says which collection it is from."""
    slug = hashlib.sha256(("public:" + case["id"]).encode()).hexdigest()[:12]
    launch = Launch(argv=())
    if case.get("argv"):
        launch = Launch(argv=tuple(case["argv"]))
    elif case.get("launch"):
        launch = Launch(argv=("bash", "-c", case["launch"]), shell=case["launch"])
    log = ("\n".join(case["error_lines"]) + "\n").encode()
    attempt = Attempt(number=1, launch=launch, end="exited", exit_status=as_signal(case.get("exit_status")), log=LOG, log_bytes=len(log))
    framework, release = case.get("framework") or "", case.get("release") or ""
    world = World(
        slug=slug,
        provenance="public-report" if case.get("url") else "derived",
        begins="log",
        framework=framework,
        release=release,
        believed=(framework, release),
        launches=(Outcome(launch=launch, attempt=attempt, excerpt=scan(io.BytesIO(log))),),
    )
    solid = case.get("confirmation", "maintainer") in _SOLID
    truth = Truth(
        slug=slug,
        faults=(tuple(case["causes"]),),
        kind=f"{kind}:{case['causes'][0]}",
        difficulty="medium" if solid else "hard",
        summary=case.get("cause", ""),
        source=case.get("url", "") or f"the parser of {framework} {release}",
    )
    return world, truth


def main(arguments: list[str]) -> int:
    """Write the cases of the files into the folder named first."""
    folder = Path(arguments[0])
    for path in map(Path, arguments[1:]):
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.strip():
                save(*public_world(json.loads(line), path.stem.replace("_", "-")), folder)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
