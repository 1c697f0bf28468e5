"""What is known of a flag that a parser did not recognise, where its release is only stated, lies between recorded ones, or is not known. Pure.

`probes.atlas.kinship` tells what the table of an installed or a recorded release proves. Here the error itself is weighed in: the flag was not
recognised, so of two neighbouring recorded releases that differ in it, the stated one is like that which lacks it.
"""

from msgspec import structs

from probes.atlas.history import History, history, release_key, takes
from probes.atlas.kinship import kin
from probes.frameworks.framework import Framework
from probes.probe import Situation
from transcripts.records import Sign

DEMO = "python -m vllm.entrypoints.api_server"
"""vLLM's demo server: it takes the engine's flags, and none of the OpenAI server's own."""
# fmt: off
FRONTEND = frozenset((
    "--allow-credentials", "--allowed-headers", "--allowed-methods", "--allowed-origins", "--api-key", "--api-server-count",
    "--chat-template", "--chat-template-content-format", "--config", "--default-chat-template-kwargs", "--disable-fastapi-docs",
    "--disable-frontend-multiprocessing", "--disable-uvicorn-access-log", "--enable-auto-tool-choice", "--enable-force-include-usage",
    "--enable-log-deltas", "--enable-log-outputs", "--enable-offline-docs", "--enable-prompt-tokens-details", "--enable-request-id-headers",
    "--enable-server-load-tracking", "--enable-tokenizer-info-endpoint", "--exclude-tools-when-tool-choice-none", "--h11-max-header-count",
    "--h11-max-incomplete-event-size", "--headless", "--log-config-file", "--log-error-stack", "--lora-modules", "--middleware",
    "--prompt-adapters", "--response-role", "--return-tokens-as-token-ids", "--ssl-ciphers", "--tokens-only", "--tool-call-parser",
    "--tool-parser-plugin", "--tool-server", "--trust-request-chat-template", "--uds", "--uvicorn-log-level",
))
"""Flags that the OpenAI server had and the demo server never: read from the sources of both, 0.1.0 to 0.15.1 (the last with a demo server)."""
# fmt: on
_STABLE = 3
"""A flag that so many of the newest recorded releases have is taken for one of the releases after them as well."""


def kinship(flag: str, situation: Situation) -> tuple[Sign, ...]:
    """The signs ``registered`` and ``kin`` about `flag`, as typed; none where no framework is known, or nothing can be told."""
    framework = situation.framework
    if framework is None:
        return ()
    return _told(flag, situation, framework)


def of_client(flag: str, situation: Situation) -> tuple[Sign, ...]:
    """An option that a container's or a cluster's own client refused: it belongs behind the image's name, to the server."""
    command = situation.entry.command if situation.entry else situation.framework.program if situation.framework else "the server"
    return _signs(flag, no=True, kin="other-command", parameters={"flag": flag, "command": command})


def _told(flag: str, situation: Situation, framework: Framework) -> tuple[Sign, ...]:
    """What the tables tell of the flag."""
    command = situation.entry.command if situation.entry else ""
    name = flag.partition("=")[0]
    plain = _plain(name, framework.name)
    if command == DEMO and "--" + plain.removeprefix("--").removeprefix("no-") in FRONTEND:
        other = {"flag": flag, "command": "python -m vllm.entrypoints.openai.api_server"}
        return _signs(flag, no=True, kin="other-command", parameters=other)
    known = history(framework.name)
    table = situation.table if situation.table is not None and not situation.table.source.startswith("atlas") else None
    if table is not None or known is None or not known.releases:
        return kin(flag, table=table, framework=framework.name, release=situation.release, command=command)
    if not situation.release:
        return _of_unknown_release(flag, plain, known, command)
    return kin(flag, table=None, framework=known.framework, release=situation.release, command=command) or _between(
        flag, plain, known, situation.release, command
    )


def _plain(name: str, framework: str) -> str:
    """The option itself, in the spelling of the tables."""
    if framework != "vllm" or not name.startswith("--"):
        return name
    return "--" + name[2:].partition(".")[0].replace("_", "-")


def _signs(flag: str, *, no: bool = False, kin: str = "", parameters: dict[str, str] | None = None) -> tuple[Sign, ...]:
    told = (Sign(variable="registered", value="no", parameters={"flag": flag}, source="atlas"),) if no else ()
    return (*told, Sign(variable="kin", value=kin, parameters=parameters or {"flag": flag}, source="atlas"))


def _yes(flag: str) -> tuple[Sign, ...]:
    return (Sign(variable="registered", value="yes", parameters={"flag": flag}, source="atlas"),)


def _between(flag: str, plain: str, known: History, release: str, command: str) -> tuple[Sign, ...]:
    """Of a release that was not recorded: what its recorded neighbours and the curated lineage tell together with the error."""
    key = release_key(release)
    places = known.having.get(plain, ())
    below = [index for index, other in enumerate(known.releases) if release_key(other) < key]
    above = [index for index, other in enumerate(known.releases) if release_key(other) > key]
    before, after = bool(below) and below[-1] in places, bool(above) and above[0] in places
    came = known.came.get(plain, "") or (known.releases[0] if places else "")
    state = takes(known.framework, release, plain)
    if state is None and after and release_key(known.releases[above[0]])[:3] == key[:3]:
        state = True  # a later build of the same release
    if state is None and after and came and release_key(came) <= key:
        state = True
    if state is None and before and not above:
        state = all(place in places for place in range(len(known.releases))[-_STABLE:]) or None
    if state:
        return _yes(flag)
    if after and not before:
        kind = "later" if below or came else "before"
        return _signs(flag, no=state is False, kin=kind, parameters={"flag": flag, "first": came or known.releases[above[0]]})
    without = next((known.releases[index] for index in above if index not in places), "")
    if not before and plain not in known.gone:
        return ()
    signs = kin(flag, table=None, framework=known.framework, release=without or known.releases[-1], command=command)
    return tuple(sign for sign in signs if sign.variable == "kin" or (state is False and sign.value == "no"))


def _of_unknown_release(flag: str, plain: str, known: History, command: str) -> tuple[Sign, ...]:
    """Only what holds for all recorded releases is told for certain; of a flag that some of them have, which way it went is open."""
    signs = kin(flag, table=None, framework=known.framework, release=known.releases[-1], command=command)
    if any(sign.variable == "registered" and sign.value == "yes" for sign in signs):
        always = all(
            any(sign.value == "yes" for sign in kin(flag, table=None, framework=known.framework, release=release, command=command))
            for release in known.releases[-_STABLE:]
        )
        return tuple(sign for sign in signs if always)
    return tuple(_open(sign) for sign in signs if sign.variable == "kin" or (plain not in known.gone and plain not in known.having))


def _open(sign: Sign) -> Sign:
    """A flag that an earlier release had was removed since, or the release is one before it came."""
    once = {"earlier": "once", "successor": "once-replaced"}.get(sign.value)
    return structs.replace(sign, value=once) if once else sign
