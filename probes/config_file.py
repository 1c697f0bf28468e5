"""Reads the configuration file that the launch names, with the YAML reader of the target's own interpreter, and says whether it can be used.

Outcomes: present and sound; absent; denied; malformed (with line and column); refused (it parses, and the framework is known to refuse it: a
LiteLLM entry without ``litellm_params``, a list written as a mapping, a vLLM file that is no ``.yaml``); credentials unset, where the installed
release does not start without them; could not look. Cost: one start of that interpreter and of its YAML reader (0.2 s). Control: a known text is
parsed in the same run; without a YAML reader nothing is said about the file's form. vLLM ignores ``--config=FILE``: only ``--config FILE`` is
asked about.
"""

from collections.abc import Iterator
from typing import Any

from rapidfuzz import fuzz, process

from probes.asking import Given, answer, ask, changes, environment, folder, given, predicted, seen, unreadable, unset
from probes.frameworks.proxy_sections import MAPPINGS, SECTIONS
from probes.probe import Probe, Situation
from transcripts.records import Command, Finding, Outcome, Output, Question, Sign

NAME = "config-file"
MASTER_KEY = "LITELLM_MASTER_KEY"
PERMITTED = "LITELLM_DANGEROUSLY_PERMIT_WEAK_OR_UNSET_MASTER_KEY"
"""The proxy's own switch to start without a key: known here so that a launch that has it is not called faulty; never proposed."""

SCRIPT = r"""
import importlib.util, json, os, sys
told = json.loads(sys.argv[1])
result = {"yaml": False, "control": False, "insists": False, "dotenv": []}
path = os.path.join(told["folder"] or os.getcwd(), told["path"]) if told["path"] else ""
package = importlib.util.find_spec(told["package"]) if told["package"] else None
home = os.path.dirname(package.origin) if package and package.origin else ""
if home and told["boot_check"]:
    result["insists"] = os.path.isfile(os.path.join(home, told["boot_check"]))
    place = home
    while True:
        dotenv = os.path.join(place, ".env")
        if os.path.isfile(dotenv):
            try:
                with open(dotenv, encoding="utf-8", errors="replace") as stream:
                    names = [line.split("=", 1) for line in stream if "=" in line and not line.lstrip().startswith("#")]
                result["dotenv"] = [n.replace("export ", "").strip() for n, v in names if v.strip().strip("\"'")]
            except OSError:
                pass
            break
        if place == os.path.dirname(place):
            break
        place = os.path.dirname(place)
near = os.path.dirname(path) if path else ""
while near and near != "/" and not os.path.isdir(near):
    near = os.path.dirname(near)
result["nearest"] = near
if path:
    result["where"] = os.path.normpath(path)
    try:
        if os.path.isdir(path):
            result["state"] = "folder"
        else:
            with open(path, "rb") as stream:
                data = stream.read(told["limit"] + 1)
            result["state"] = "present"
            result["large"] = len(data) > told["limit"]
            try:
                result["text"] = data[:told["limit"]].decode("utf-8")
            except UnicodeDecodeError:
                result["text"], result["binary"] = "", True
    except PermissionError:
        result["state"] = "denied"
    except OSError:
        result["state"] = "absent"
        import difflib
        try:
            result["near"] = difflib.get_close_matches(os.path.basename(path), os.listdir(near), 3, 0.6)
            result["near"] = [os.path.join(near, n) for n in result["near"]] if near == os.path.dirname(os.path.normpath(path)) else []
        except OSError:
            result["near"] = []
try:
    import yaml
    result["yaml"] = True
    result["control"] = yaml.safe_load("a: [1, {b: c}]") == {"a": [1, {"b": "c"}]}
except ImportError:
    pass
if result.get("text") and result["yaml"] and not result["large"]:
    try:
        config = yaml.safe_load(result["text"])
        result["config"] = json.loads(json.dumps(config, default=str))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        result["malformed"] = {"message": str(getattr(error, "problem", "") or error)[:300], "line": mark.line + 1 if mark else 0,
                               "column": mark.column + 1 if mark else 0}
    except RecursionError:
        result["malformed"] = {"message": "nested too deeply", "line": 0, "column": 0}

def references(value):
    if isinstance(value, str):
        return [value[11:]] if value.startswith("os.environ/") else []
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [name for item in inner for name in references(item)]

known = {name for name, value in os.environ.items() if value.strip()} - set(told["unset"]) | set(told["set"]) | set(result.pop("dotenv"))
result["set"] = sorted(known & {told["key"], *references(result.get("config"))})
print(json.dumps(result))
"""


def _file(situation: Situation) -> Given | None:
    framework = situation.framework
    if framework is None or not framework.config_flag:
        return None
    names = (framework.config_flag, "-c") if framework.rules.kind == "click" else (framework.config_flag,)
    found = [item for item in given(situation, names) if not (item.joined and framework.name == "vllm")]
    return found[-1] if found else None


def questions(situation: Situation) -> tuple[Question, ...]:
    """One question about the configuration file; the LiteLLM proxy needs a key of its own without one, too."""
    framework = situation.framework
    if framework is None or situation.entry is None:
        return ()
    item = _file(situation)
    if item is None and framework.name != "litellm":
        return ()
    parameters = {"framework": framework.name, "path": item.value if item else "", "flag": item.flag if item else ""}
    if environment(situation).get(PERMITTED, "").strip().lower() in ("true", "1"):
        parameters["permitted"] = "true"
    return (Question(probe=NAME, parameters=parameters),)


def command(question: Question, situation: Situation) -> Command:
    """Read and parse the file in the interpreter that will read it."""
    litellm = question.parameters["framework"] == "litellm"
    told = {
        "path": question.parameters["path"],
        "folder": folder(situation),
        "limit": 200_000,
        "package": "litellm" if litellm else "",
        "boot_check": "proxy/auth/master_key_boot_check.py" if litellm else "",
        "key": MASTER_KEY,
        "set": sorted(name for name, value in changes(situation).items() if value.strip()),
        "unset": sorted({*unset(situation), *(name for name, value in changes(situation).items() if not value.strip())}),
    }
    return ask(SCRIPT, interpreter=situation.interpreter, site=bool(situation.interpreter), told=told)


def read(question: Question, output: Output) -> Finding:
    """The state of the file, of its content, and of the key that the proxy needs."""
    value = answer(output)
    if not isinstance(value, dict) or not isinstance(value.get("control"), bool):
        return unreadable(output)
    path, flag = question.parameters["path"], question.parameters["flag"]
    control = "a known text was parsed" if value["control"] else "no YAML reader there: the form of the file was not judged"
    data = {name: value.get(name) for name in ("text", "config", "where", "malformed", "insists")} | {"path": path}
    data["near"] = {path: value.get("near") or []}
    if not path:
        signs, notes = _key(question, value, {})
        text = "; ".join(notes) or "no configuration file is named"
        return Finding(outcome=Outcome.OBSERVED, text=text, signs=tuple(signs), control=control, data=data)
    about = {"path": path, "flag": flag}
    state = _state(about, value)
    if state is not None:
        return Finding(outcome=Outcome.OBSERVED, text=state[0], signs=state[1], control=control, data=data)
    signs, notes = _content(question, value, about)
    if not any(sign.variable == "file" for sign in signs):
        signs.insert(0, seen(NAME, "file", "present", **about))
    text = f"{flag}: {path} {'; '.join(notes) if notes else 'is read and sound' if value['control'] else 'is there'}"
    return Finding(outcome=Outcome.OBSERVED, text=text, signs=tuple(signs), control=control, data=data)


def _state(about: dict[str, str], value: dict[str, Any]) -> tuple[str, tuple[Sign, ...]] | None:
    """What to say of a file that cannot be opened, or None for one that was read."""
    path, flag = about["path"], about["flag"]
    if value.get("state") == "absent":
        near = {"near": value["near"][0]} if value.get("near") else {}
        signs = (seen(NAME, "file", "absent", **about, **near), predicted("no-such-file", **about))
        hint = f"; {near['near']} is near" if near else ""
        return f"{flag}: {path} does not exist (looked for as {value.get('where')}){hint}", signs
    if value.get("state") == "denied":
        return f"{flag}: {path} may not be read", (seen(NAME, "file", "denied", **about), predicted("permission-denied", **about))
    if value.get("state") == "folder":
        return f"{flag}: {path} is a folder", (seen(NAME, "file", "refused", **about, message="it is a folder, not a file"),)
    return None


def _content(question: Question, value: dict[str, Any], about: dict[str, str]) -> tuple[list[Sign], list[str]]:
    framework, path = question.parameters["framework"], about["path"]
    if framework == "vllm" and path.rpartition(".")[2] not in ("yaml", "yml"):
        return _refused(about, "", f"vLLM reads only files that end in .yaml or .yml, and this one is called {path.rpartition('/')[2]}")
    if value.get("binary"):
        return _malformed(about, {"message": "it is no UTF-8 text", "line": 0})
    if value.get("malformed"):
        signs, notes = _malformed(about, value["malformed"])
        if framework == "litellm" and "master_key" not in str(value.get("text")):
            more, why = _key(question, value, {})
            return [*signs, *more], [*notes, *why]
        return signs, notes
    if not value["control"] or value.get("large"):
        return [], []
    config = value.get("config")
    if not isinstance(config, dict):
        return _refused(about, "", "the file is empty" if config is None else f"the file holds a {_kind(config)} where keys are wanted")
    if framework != "litellm":
        return [], []
    signs, notes = _key(question, value, config)
    flaws = list(proxy_flaws(config))
    if not flaws:
        return signs, notes
    refused, why = _refused(about, flaws[0][0], "; ".join(message for _, message in flaws))
    return [*refused, *signs], [*why, *notes]


def _kind(value: object) -> str:
    return {list: "list", str: "text", int: "number", float: "number", bool: "truth value", type(None): "nothing"}.get(type(value), "mapping")


def _refused(about: dict[str, str], key: str, message: str) -> tuple[list[Sign], list[str]]:
    more = {**about, "message": message} | ({"key": key} if key else {})
    return [seen(NAME, "file", "refused", **more), predicted("file-refused", **more)], [f"is refused: {message}"]


def _malformed(about: dict[str, str], why: dict[str, Any]) -> tuple[list[Sign], list[str]]:
    where = f"line {why['line']}, column {why.get('column')}: " if why.get("line") else ""
    more = {**about, "message": f"{where}{why['message']}"} | ({"line": str(why["line"])} if why.get("line") else {})
    return [seen(NAME, "file", "malformed", **more), predicted("file-malformed", **more)], [f"is malformed: {where}{why['message']}"]


def proxy_flaws(config: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """What the LiteLLM proxy refuses in a parsed configuration: the key at fault, and why. Pure."""
    for name in config:
        if name not in SECTIONS:
            near = process.extractOne(str(name), [item for item in SECTIONS if item not in config], scorer=fuzz.ratio, score_cutoff=80.0)
            if near:
                yield str(name), f"there is no section {name}; {near[0]} is one"
    for name in MAPPINGS:
        if config.get(name) is not None and not isinstance(config[name], dict):
            yield name, f"{name} is a {_kind(config[name])} where keys are wanted"
    models = config.get("model_list")
    if models is not None and not isinstance(models, list):
        yield "model_list", f"model_list is a {_kind(models)} where a list is wanted"
        return
    for number, entry in enumerate(models or (), 1):
        where = f"entry {number} of model_list"
        if not isinstance(entry, dict):
            yield "model_list", f"{where} is a {_kind(entry)} where keys are wanted"
        elif not isinstance(entry.get("litellm_params"), dict):
            what = "has no litellm_params" if entry.get("litellm_params") is None else "has litellm_params that are no mapping"
            yield "litellm_params", f"{where} {what}"
        elif "model" not in entry["litellm_params"]:
            yield "model", f"the litellm_params of {where} name no model"
        elif "model_name" not in entry:
            yield "model_name", f"{where} has no model_name"


def _key(question: Question, value: dict[str, Any], config: dict[str, Any]) -> tuple[list[Sign], list[str]]:
    """Whether the proxy has the key that it does not start without (said only of releases that insist on one)."""
    names = set(value.get("set", ()))
    own = config.get("environment_variables") or {}
    names |= {str(name) for name, text in own.items() if text not in (None, "")} if isinstance(own, dict) else set()
    settings = config.get("general_settings") or {}
    notes = [f"names os.environ/{name}, which is not set" for name in sorted(_references(config)) if name not in names]
    if not value.get("insists") or "include" in config or not isinstance(settings, dict):
        return [], notes
    if settings.get("dangerously_permit_weak_or_unset_master_key") is True or question.parameters.get("permitted"):
        return [], notes
    key = settings.get("master_key", f"os.environ/{MASTER_KEY}")
    named = str(key).removeprefix("os.environ/") if str(key or "").startswith("os.environ/") else ""
    if (named and named in names) or (not named and str(key or "").strip()):
        return [seen(NAME, "credentials", "set", name=named or MASTER_KEY)], notes
    name = named or MASTER_KEY
    where = "and general_settings.master_key is empty" if "master_key" in settings and not named else "and the configuration sets none"
    where = "which general_settings.master_key points at" if "master_key" in settings and named else where
    signs = [seen(NAME, "credentials", "unset", name=name), predicted("credentials-missing", name=name)]
    notes = [note for note in notes if f"os.environ/{name}," not in note]
    return signs, [f"this release does not start without a master key: {name} is not set, {where}", *notes]


def _references(value: object) -> Iterator[str]:
    if isinstance(value, str) and value.startswith("os.environ/"):
        yield value.removeprefix("os.environ/")
    elif isinstance(value, dict):
        for item in value.values():
            yield from _references(item)
    elif isinstance(value, list):
        for item in value:
            yield from _references(item)


PROBE = Probe(
    name=NAME,
    about="the configuration file, and the key that the proxy needs",
    variables=("file", "credentials", "error"),
    cost=0.3,
    control="a known text is parsed in the same run",
    check=True,
    paste="{python} -c 'import sys, yaml; yaml.safe_load(open(sys.argv[1]))' {path}",
    questions=questions,
    command=command,
    read=read,
)
