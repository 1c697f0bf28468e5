"""A real LiteLLM proxy that does not start, diagnosed and brought up: ``make demo``.

The launch has a mistyped option, a configuration that the proxy refuses, and no master key. nostart is run on it as a person would, then
the command that it prints is run once more by hand and asked for its models. The exit status is 0 only if it answers.
"""

import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

from transcripts.events import AnyEvent, AttemptEnded, Diagnosed, FaultSeen
from transcripts.journal import load, runs
from transcripts.records import Diagnosis, Fix

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PORT = 4321
PATIENCE = 180.0


def main() -> int:
    """Run the demo; returns its exit status."""
    tell("A real LiteLLM proxy is installed, once, outside this checkout (a minute or two the first time)")
    proxy = installed()
    port = PORT if free(PORT) else any_free()
    with tempfile.TemporaryDirectory(prefix="nostart-demo-") as scratch:
        folder = Path(scratch)
        shutil.copy(HERE / "config.yaml", folder / "broken.yaml")
        environment = clean_environment(proxy)
        tell("The configuration, as someone wrote it")
        show((folder / "broken.yaml").read_text(encoding="utf-8"))
        command = ["litellm", "--config", "broken.yaml", "--prot", str(port)]
        tell("nostart triage --fix -- " + " ".join(command))
        nostart = [str(Path(sys.executable).with_name("nostart")), "triage", "--fix", "--transcripts", str(folder / "runs"), "--", *command]
        status = subprocess.run(nostart, cwd=folder, env=environment, check=False).returncode
        transcript = next(runs(folder / "runs"), None)
        if transcript is None:
            return failed(f"nostart ended with status {status} and left no transcript")
        events = load(transcript).events
        diagnosis = next((event.diagnosis for event in events if isinstance(event, Diagnosed)), None)
        if status != 0 or diagnosis is None or diagnosis.outcome != "up" or diagnosis.fix is None:
            return failed(f"nostart ended with status {status}: the proxy did not come up")
        cause_by_cause(diagnosis, events)
        unchanged = (folder / "broken.yaml").read_bytes() == (HERE / "config.yaml").read_bytes()
        tell("The same command by hand, with a key of our own")
        answered = by_hand(diagnosis.fix, transcript.parent, folder, environment, port)
    if not unchanged:
        return failed("broken.yaml was edited")
    return 0 if answered else failed("the printed command does not answer")


def installed() -> Path:
    """The folder of the LiteLLM proxy's programs, built where it is not there yet."""
    done = subprocess.run([str(ROOT / "tests" / "live" / "venv.sh"), "litellm"], stdout=subprocess.PIPE, text=True, check=True)
    return Path(done.stdout.strip()) / "bin"


def clean_environment(programs: Path) -> dict[str, str]:
    """The environment with the proxy first on PATH and no key of anybody's."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("LITELLM_", "OPENAI_", "DATABASE_"))}
    return {**kept, "PATH": f"{programs}{os.pathsep}{kept.get('PATH', os.defpath)}", "LITELLM_LOCAL_MODEL_COST_MAP": "True"}


def cause_by_cause(diagnosis: Diagnosis, events: tuple[AnyEvent, ...]) -> None:
    """What was wrong, one cause after the other, with what showed it and what mended it."""
    tell("What was wrong, cause by cause")
    for number, verdict in enumerate(diagnosis.solved, 1):
        name = verdict.hypothesis.cause
        print(f"{number}. {name}: {verdict.summary}")
        about = {value for value in verdict.hypothesis.parameters.values() if value}
        seen = [event.fault.text for event in events if isinstance(event, FaultSeen) and about & shown_in(event)]
        proved = [f"{item.text.strip()}  [{item.source}]" for item in diagnosis.evidence if name in item.supports]
        for text in dict.fromkeys([*seen, *proved]):
            print(f"     {text[:200]}")
    for copy in diagnosis.fix.files if diagnosis.fix else ():
        print("\nThe corrected copy (broken.yaml itself is as it was):")
        show(copy.difference)
    answers = [event.attempt.answer for event in events if isinstance(event, AttemptEnded) and event.attempt.answer]
    if answers:
        print(f"nostart saw it answer: {answers[-1][:300]}")


def shown_in(event: FaultSeen) -> set[str]:
    """What a fault that was seen without launching is about."""
    return {value for sign in event.fault.signs for value in sign.parameters.values() if value}


def by_hand(fix: Fix, run: Path, folder: Path, environment: dict[str, str], port: int) -> bool:
    """Launch what the fix says with a random key, ask for the model list with that key, end it; True if both models are named."""
    if fix.launch is None:
        return False
    key = "sk-" + secrets.token_hex(24)
    words = [word.replace("{run}", str(run / "files")) for word in fix.launch.argv]
    extra = {name: key if value.startswith("$") else value for name, value in fix.launch.env.items()}
    extra |= dict.fromkeys(fix.generated, key)
    print("$ " + " ".join([*(f"{name}=sk-…" for name in extra), *words]))
    with (folder / "proxy.log").open("wb") as log:
        process = subprocess.Popen(
            words, cwd=folder, env={**environment, **extra}, stdout=log, stderr=log, stdin=subprocess.DEVNULL, start_new_session=True
        )
        try:
            models = asked(f"http://127.0.0.1:{port}/v1/models", key, process)
            refused = asked(f"http://127.0.0.1:{port}/v1/models", "sk-wrong", process) if models else None
        finally:
            ended(process)
    if models is None:
        show((folder / "proxy.log").read_text(errors="replace")[-2000:])
        return False
    print(f"GET /v1/models with the key: {json.dumps(models)}")
    print(f"GET /v1/models with another: {'refused' if refused is None else 'answered, which it must not'}")
    print(f"the proxy is stopped: {'yes' if free(port) else 'no'}")
    return models == ["large", "small"] and refused is None and free(port)


def asked(url: str, key: str, process: subprocess.Popen[bytes]) -> list[str] | None:
    """The names of the models that the proxy lists, or None if it refuses or ends."""
    request = urllib.request.Request(url, headers={"Authorization": f"Bearer {key}"})
    deadline = time.monotonic() + PATIENCE
    while process.poll() is None and time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(request, timeout=10) as answer:
                return sorted(item["id"] for item in json.load(answer)["data"])
        except urllib.error.HTTPError:
            return None
        except OSError:
            time.sleep(0.5)
    return None


def ended(process: subprocess.Popen[bytes]) -> None:
    """End the process and its group, politely first."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, number)
            process.wait(timeout=15)
        except (ProcessLookupError, subprocess.TimeoutExpired):
            continue


def free(port: int) -> bool:
    """Whether nobody listens on the port."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("0.0.0.0", port))
        except OSError:
            return False
    return True


def any_free() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        number: int = probe.getsockname()[1]
    return number


def tell(text: str) -> None:
    """A heading between the steps."""
    print(f"\n== {text}", flush=True)


def show(text: str) -> None:
    """A file or a log, set in."""
    print("".join(f"   {line}\n" for line in text.splitlines()), flush=True)


def failed(text: str) -> int:
    """Say why the demo failed; its exit status."""
    print(f"\nthe demo failed: {text}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
