"""Asks who holds the port that the launch wants.

Outcomes: free, taken (with the pid and command line of the holder where they may be seen), could not look. A bound port of another address of the
same machine is not taken. Cost: one start of a Python without site-packages that reads ``/proc``. Control: ``/proc/net/tcp`` must have its header
line; without it nothing could be seen, and the answer is void. Nothing is bound or connected to.
"""

from probes.asking import answer, ask, configured, environment, given, predicted, python_of, seen, unreadable
from probes.probe import Probe, Situation
from transcripts.records import Command, Finding, Outcome, Output, Question

NAME = "port-owner"

SCRIPT = """\
import json, os, socket, struct, sys
told = json.loads(sys.argv[1])
port = told["port"]
LISTEN = "0A"
holders, tables, busy = [], [], set()
for table in ("/proc/net/tcp", "/proc/net/tcp6"):
    try:
        with open(table) as stream:
            lines = stream.read().splitlines()
    except OSError:
        continue
    if lines and "local_address" in lines[0]:
        tables.append(table)
    for line in lines[1:]:
        fields = line.split()
        if len(fields) < 10 or fields[3] != LISTEN:
            continue
        address, _, number = fields[1].partition(":")
        busy.add(int(number, 16))
        if int(number, 16) != port:
            continue
        raw = bytes.fromhex(address)
        raw = b"".join(raw[i:i + 4][::-1] for i in range(0, len(raw), 4))
        family = socket.AF_INET if len(raw) == 4 else socket.AF_INET6
        holders.append({"address": socket.inet_ntop(family, raw), "inode": fields[9], "uid": fields[7]})
wanted = {"socket:[%s]" % holder["inode"]: holder for holder in holders}
for pid in os.listdir("/proc") if holders else ():
    if not pid.isdigit():
        continue
    try:
        for name in os.listdir("/proc/%s/fd" % pid):
            holder = wanted.get(os.readlink("/proc/%s/fd/%s" % (pid, name)))
            if holder is not None and "pid" not in holder:
                with open("/proc/%s/cmdline" % pid, "rb") as stream:
                    holder["command"] = [w.decode("utf-8", "replace") for w in stream.read().split(b"\\0") if w][:40]
                holder["pid"] = int(pid)
    except OSError:
        continue
free = next((other for other in range(port + 1, 65536) if other not in busy), None)
print(json.dumps({"port": port, "tables": tables, "holders": holders, "free": free}))
"""

_MOVES = "4000"
"""The one port at which the LiteLLM proxy gives way: where it is taken, the proxy takes a random one."""

_EVERYWHERE = ("0.0.0.0", "::", "")  # noqa: S104 (recognised, never bound)


def questions(situation: Situation) -> tuple[Question, ...]:
    """One question about the port that the launch asks for, or about the framework's default."""
    framework = situation.framework
    if framework is None or not situation.entry:
        return ()
    ports = given(situation, framework.port_flags)
    inside = environment(situation).get("PORT", "") if framework.name == "litellm" else configured(situation, "port")
    port = ports[-1].value if ports else inside or str(framework.default_port)
    if not port.isdigit() or not 0 < int(port) < 65536:
        return ()
    hosts = given(situation, framework.host_flags)
    host = hosts[-1].value if hosts else configured(situation, "host")
    moves = {"moves": "yes"} if framework.name == "litellm" and port == _MOVES else {}
    return (Question(probe=NAME, parameters={"port": port, "host": host, **moves}),)


def command(question: Question, situation: Situation) -> Command:
    """List who listens on the port, from ``/proc``."""
    return ask(SCRIPT, interpreter=python_of(situation), told={"port": int(question.parameters["port"])})


def _clashes(address: str, host: str) -> bool:
    """Whether a listener on `address` keeps a server from binding `host`."""
    plain = address.removeprefix("::ffff:")
    if plain in _EVERYWHERE or host in _EVERYWHERE:
        return True
    if host == "localhost":
        return plain.startswith("127.") or plain == "::1"
    return plain == host or not host.replace(".", "").isdigit()


def read(question: Question, output: Output) -> Finding:
    """Whether the port is free, and who holds it."""
    value = answer(output)
    if not isinstance(value, dict) or not isinstance(value.get("holders"), list):
        return unreadable(output)
    port, host = question.parameters["port"], question.parameters.get("host", "")
    if not value.get("tables"):
        return Finding(outcome=Outcome.VOID, text=f"whether port {port} is free cannot be seen", control="/proc/net/tcp shows no table")
    control = f"{value['tables'][0]} has its header"
    holders = [holder for holder in value["holders"] if _clashes(str(holder.get("address")), host)]
    if not holders:
        free = (seen(NAME, "port", "free", port=port),)
        return Finding(outcome=Outcome.OBSERVED, text=f"port {port} is free", signs=free, control=control, data=value)
    holder = next((holder for holder in holders if "pid" in holder), holders[0])
    about = {"port": port, "address": str(holder["address"])} | ({"free": str(value["free"])} if value.get("free") else {})
    who = "a process that may not be seen"
    if "pid" in holder:
        words = [str(word) for word in holder.get("command", ())]
        about |= {"pid": str(holder["pid"]), "holder": " ".join(words)[:200]}
        who = f"process {holder['pid']} ({' '.join(words)[:120] or 'unnamed'})"
    if question.parameters.get("moves"):
        text = f"port {port} is taken by {who}; the proxy then takes another by itself, so give it one with --port"
        return Finding(outcome=Outcome.OBSERVED, text=text, control=control, data=value)
    signs = (seen(NAME, "port", "taken", **about), predicted("address-in-use", port=port))
    return Finding(outcome=Outcome.OBSERVED, text=f"port {port} is taken by {who}", signs=signs, control=control, data=value)


PROBE = Probe(
    name=NAME,
    about="who holds the port",
    variables=("port", "error"),
    cost=0.15,
    control="/proc/net/tcp must have its header line",
    check=True,
    paste="ss -ltnp 'sport = :{port}'",
    questions=questions,
    command=command,
    read=read,
)
