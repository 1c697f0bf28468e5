"""Asks the interpreter of the program which releases are installed there, and whether they fit together, without importing any of them.

Read from ``*.dist-info``: the framework's release and place, torch, what the framework's distribution requires against what is there, and whether
its compiled extension was built for the installed torch. A missing module counts where the code that runs at start imports it (followed by text
from the entry points on); a release that does not match a mere pin is told, and counts only where it is checked at start.

Outcomes: sound, missing-dependency, wrong-dependency, abi, no-framework; could not look. Cost: one start of that interpreter (0.2 s; 1 s where
something is missing). Control: the folders of installed packages must be readable; where none is, nothing is concluded.
"""

from typing import Any

from probes.asking import answer, ask, changes, environment, folder, predicted, seen, unreadable
from probes.probe import Probe, Situation
from transcripts.records import Command, Finding, Outcome, Output, Question, Sign

NAME = "versions"

SCRIPT = r'''
import ast, json, os, platform, re, site, sys
told = json.loads(sys.argv[1])
package, roots = told["package"], told["roots"]
sys.path[:0] = [os.path.join(os.getcwd(), entry) for entry in told["paths"] if entry]
if sys.prefix == sys.base_prefix and told["user"]:
    sys.path.append(site.getusersitepackages())
places = [p for p in dict.fromkeys(sys.path) if os.path.isdir(p)]
normal = lambda name: re.sub(r"[-_.]+", "-", name).lower()
installed, duplicates, listed = {}, [], {}
for place in places:
    try:
        listed[place] = set(os.listdir(place))
    except OSError:
        continue
    for name in sorted(listed[place]):
        match = re.match(r"(.+?)-([^-]+)(?:-py[\d.]+)?\.(?:dist|egg)-info$", name)
        if match and not name.startswith("~"):
            entry = {"version": match.group(2), "path": os.path.join(place, name)}
            if normal(match.group(1)) in installed:
                if os.path.dirname(installed[normal(match.group(1))]["path"]) != place:
                    continue
                duplicates.append([normal(match.group(1)), installed[normal(match.group(1))]["version"], match.group(2)])
            else:
                installed[normal(match.group(1))] = entry

def text(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as stream:
            return stream.read()
    except OSError:
        return ""

def numbers(version):
    match = re.match(r"\s*v?(?:\d+!)?(\d+(?:\.\d+)*)(.*)", version.partition("+")[0])
    if not match:
        return None
    release = [int(n) for n in match.group(1).split(".")]
    while len(release) > 1 and release[-1] == 0:
        release.pop()
    rest = match.group(2)
    return release, (1 if "post" in rest else -1 if re.search(r"a|b|rc|dev|alpha|beta", rest) else 0)

def fits(found, specs):
    """Whether a release meets its specifiers; what cannot be read counts as met."""
    for spec in specs.split(","):
        match = re.match(r"\s*(===|==|!=|~=|<=|>=|<|>)\s*([\w.+!*-]+)\s*$", spec)
        if not match:
            continue
        op, wanted = match.groups()
        have, want = numbers(found), numbers(wanted.replace(".*", ""))
        if have is None or want is None:
            continue
        if wanted.endswith(".*"):
            digits = [int(n) for n in re.findall(r"\d+", wanted)]
            same = (have[0] + [0] * len(digits))[:len(digits)] == digits
            met = same if op == "==" else not same
        elif op == "~=":
            digits = [int(n) for n in re.findall(r"\d+", wanted)][:-1]
            met = have >= want and (have[0] + [0] * len(digits))[:len(digits)] == digits
        else:
            same = have == want
            met = {"==": same, "===": same, "!=": not same, "<=": have <= want, ">=": have >= want, "<": have < want, ">": have > want}[op]
        if not met:
            return False
    return True

FACTS = {"python_version": "%d.%d" % sys.version_info[:2], "python_full_version": platform.python_version(), "sys_platform": sys.platform,
         "platform_system": platform.system(), "platform_machine": platform.machine(), "os_name": os.name,
         "implementation_name": sys.implementation.name, "platform_python_implementation": platform.python_implementation()}

def holds(marker, extras):
    """Whether an environment marker holds; what cannot be read counts as not holding, so that nothing is missed by mistake."""
    def value(node):
        if isinstance(node, ast.BoolOp):
            parts = [value(n) for n in node.values]
            return all(parts) if isinstance(node.op, ast.And) else any(parts)
        if isinstance(node, ast.UnaryOp):
            return not value(node.operand)
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            left, right, op = node.left, node.comparators[0], type(node.ops[0])
            names = [n.id for n in (left, right) if isinstance(n, ast.Name)]
            one = FACTS.get(left.id, "") if isinstance(left, ast.Name) else left.value
            two = FACTS.get(right.id, "") if isinstance(right, ast.Name) else right.value
            if names == ["extra"]:
                return op is ast.Eq and (normal(one or two) in extras)
            if op in (ast.In, ast.NotIn):
                return (one in two) == (op is ast.In)
            symbol = {ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}[op]
            if names and "version" in names[0]:
                return fits(one, symbol + two)
            return {"==": one == two, "!=": one != two}.get(symbol, False)
        raise ValueError(marker)
    try:
        return value(ast.parse(marker.strip(), mode="eval").body)
    except (SyntaxError, ValueError, KeyError, AttributeError, TypeError):
        return False

def requirements(name, extras=()):
    for line in text(os.path.join(installed[name]["path"], "METADATA")).split("\n\n")[0].splitlines():
        match = re.match(r"Requires-Dist:\s*([A-Za-z0-9._-]+)\s*(?:\[[^\]]*\])?\s*\(?([^;)]*)\)?\s*(?:;(.*))?$", line)
        if match and (not match.group(3) or holds(match.group(3), extras)):
            yield normal(match.group(1)), match.group(2).strip()

MODULES = {"pyyaml": "yaml", "pillow": "PIL", "opencv-python-headless": "cv2", "pyzmq": "zmq", "protobuf": "google.protobuf", "py-cpuinfo": "cpuinfo",
           "python-json-logger": "pythonjsonlogger", "lm-format-enforcer": "lmformatenforcer", "partial-json-parser": "partial_json_parser",
           "python-dotenv": "dotenv", "pyjwt": "jwt", "python-multipart": "multipart", "pynacl": "nacl", "apscheduler": "apscheduler",
           "fastapi-sso": "fastapi_sso", "restrictedpython": "RestrictedPython", "inquirerpy": "InquirerPy", "opencv-python": "cv2"}

def module_of(name):
    if name in installed:
        tops = [t for t in text(os.path.join(installed[name]["path"], "top_level.txt")).split() if re.match(r"[A-Za-z]\w*$", t)]
        if tops and name.replace("-", "_") not in tops:
            return MODULES.get(name, tops[0])
    return MODULES.get(name, name.replace("-", "_"))

def importable(module):
    top, _, rest = module.partition(".")
    for place, names in listed.items():
        if top in names or top + ".py" in names or any(n.startswith(top + ".") and n.endswith(".so") for n in names):
            if not rest or os.path.exists(os.path.join(place, *module.split("."))) or os.path.exists(os.path.join(place, *module.split(".")) + ".py"):
                return True
    return top in sys.builtin_module_names or top in getattr(sys, "stdlib_module_names", ())

def delivered(name):
    """Whether an installed distribution put down something that can be imported, or nothing importable at all, by its own record."""
    if name not in installed:
        return False
    lines = text(os.path.join(installed[name]["path"], "RECORD")).splitlines()
    tops = {line.split(",")[0].split("/")[0].split(".")[0] for line in lines if re.search(r"^[A-Za-z_][^,]*\.(?:py|so)(?:,|$)", line)}
    return not tops or any(importable(top) for top in tops)

location = next((os.path.join(p, package) for p in places if os.path.isfile(os.path.join(p, package, "__init__.py"))), "")

def source(module):
    if module.split(".")[0] != package:
        return ""
    base = os.path.join(os.path.dirname(location), *module.split("."))
    for path in (base + ".py", os.path.join(base, "__init__.py")):
        if os.path.isfile(path):
            return path
    return ""

def guarded(path):
    """Modules imported in a top-level try whose handler raises: as needed as any other import."""
    try:
        tree = ast.parse(text(path))
    except SyntaxError:
        return set()
    names = set()
    for node in tree.body:
        if isinstance(node, ast.Try) and any(isinstance(n, ast.Raise) for h in node.handlers for n in ast.walk(h)):
            for n in [m for statement in node.body for m in ast.walk(statement)]:
                if isinstance(n, ast.Import):
                    names.update(alias.name for alias in n.names)
                elif isinstance(n, ast.ImportFrom) and n.module and not n.level:
                    names.add(n.module)
    return names

def started():
    """Every module outside the package that the code run at start imports at its top level."""
    queue, done, outside = list(roots), set(), {}
    while queue:
        module = queue.pop()
        path = source(module)
        if module in done or not path:
            continue
        done.add(module)
        parts = module.split(".")
        queue.extend(".".join(parts[:i]) for i in range(1, len(parts)))
        names = guarded(path) if module in roots else set()
        body = text(path)
        for match in re.finditer(r"^(?:import[ \t]+([\w., \t]+)|from[ \t]+(\.*[\w.]*)[ \t]+import[ \t]+(\([^)]*\)|[^\n]+))", body, re.M):
            if match.group(1):
                names.update(piece.split()[0] for piece in match.group(1).split(",") if piece.split())
                continue
            origin = match.group(2)
            if origin.startswith("."):
                level = len(origin) - len(origin.lstrip("."))
                base = parts if path.endswith("__init__.py") else parts[:-1]
                base = base[:len(base) - level + 1]
                origin = ".".join(base + ([origin.lstrip(".")] if origin.lstrip(".") else []))
            names.add(origin)
            if origin.split(".")[0] == package:
                names.update(origin + "." + piece.split()[0] for piece in match.group(3).strip("()").split(",") if piece.split())
        for name in names:
            if name.split(".")[0] == package:
                queue.append(name)
            else:
                outside.setdefault(name, module)
    return outside

own = [name for name in told["distributions"] if name in installed]
wanted, missing, wrong = {}, [], []
for name in own:
    for requirement, specs in requirements(name, tuple(told["extras"])):
        wanted.setdefault(requirement, specs)
for requirement, specs in sorted(wanted.items()):
    module = module_of(requirement)
    if requirement not in installed or not importable(module):
        if not importable(module) and not delivered(requirement):
            missing.append({"distribution": requirement, "module": module, "wanted": specs})
    elif specs and not fits(installed[requirement]["version"], specs):
        wrong.append({"distribution": requirement, "module": module, "wanted": specs, "found": installed[requirement]["version"], "by": own[0]})
if missing and location:
    outside = started()
    for entry in missing:
        entry["importer"] = next((by for name, by in outside.items() if (name + ".").startswith(entry["module"] + ".")), "")
AT_START = ("tokenizers", "huggingface-hub", "safetensors", "numpy", "packaging", "filelock", "regex", "requests", "pyyaml", "tqdm", "accelerate")
if "transformers" in installed and "transformers" in wanted:
    for requirement, specs in requirements("transformers"):
        if requirement in AT_START and requirement in installed and not fits(installed[requirement]["version"], specs):
            wrong.append({"distribution": requirement, "module": module_of(requirement), "wanted": specs, "found": installed[requirement]["version"],
                          "by": "transformers", "at_start": True})
version = re.search(r"^__version__\s*=.*?['\"]([^'\"]+)['\"]", text(os.path.join(location, "_version.py")), re.M) if location else None
extensions = sorted(n for n in os.listdir(location) if n.startswith("_C") and n.endswith(".so")) if location else []
print(json.dumps({
    "python": platform.python_version(), "executable": sys.executable, "prefix": sys.prefix, "places": sorted(listed), "count": len(installed),
    "distributions": {name: installed[name]["version"] for name in own}, "location": location,
    "installed_in": os.path.dirname(installed[own[0]]["path"]) if own else "",
    "release": installed[own[0]]["version"] if own else (version.group(1) if version else ""),
    "torch": installed.get("torch", {}).get("version", ""), "torch_wanted": wanted.get("torch", ""), "extensions": extensions,
    "missing": missing, "wrong": wrong, "duplicates": [d for d in duplicates if d[0] in wanted or d[0] in own],
    "versions": {name: installed[name]["version"] for name in sorted(wanted) if name in installed},
}))
'''

ROOTS = {
    "vllm": ("vllm.entrypoints.cli.main", "vllm.entrypoints.cli.serve", "vllm.entrypoints.openai.api_server", "vllm.v1.engine.core"),
    "litellm": ("litellm.proxy.proxy_cli", "litellm.proxy.proxy_server"),
    "sglang": ("sglang.launch_server", "sglang.srt.entrypoints.http_server"),
}
"""The modules that the start of a server runs, from which its imports are followed."""

EXTRAS = {"litellm": ("proxy",)}
"""The extras without which the serving command does not start."""

CPU_OMITS = frozenset({"torchaudio", "torchvision", "torchcodec", "intel-openmp", "setuptools", "ninja", "numba"})
"""What builds for the CPU are installed without, and start all the same."""


def questions(situation: Situation) -> tuple[Question, ...]:
    """One question, where the framework and the interpreter of the program are known (without a target to ask: the framework alone)."""
    if situation.framework is None or (situation.can_ask and not situation.interpreter):
        return ()
    known = {"interpreter": situation.interpreter} if situation.interpreter else {}
    executable = situation.data.get("executable")
    if isinstance(executable, dict) and executable.get("meant"):
        known["meant"] = executable["meant"]  # the fix will start that one: a sound install there is no evidence about this launch
    return (Question(probe=NAME, parameters={"framework": situation.framework.name, **known}),)


def command(question: Question, situation: Situation) -> Command:
    """Read what is installed for the interpreter, with the import path that the launch gives it."""
    framework = situation.framework
    package = framework.package if framework else question.parameters["framework"]
    distributions = framework.distributions if framework else (package,)
    here = situation.entry is not None and " -m " in f" {situation.entry.command} "
    paths = environment(situation).get("PYTHONPATH", changes(situation).get("PYTHONPATH", ""))
    told = {
        "package": package,
        "distributions": [name.replace("_", "-").lower() for name in distributions],
        "extras": EXTRAS.get(package, ()),
        "roots": ROOTS.get(package, (package,)),
        "paths": [folder(situation) or "."] * here + [entry for entry in paths.split(":") if entry],
        "user": "PYTHONNOUSERSITE" not in environment(situation),
    }
    return ask(SCRIPT, interpreter=question.parameters.get("interpreter", ""), site=True, told=told, timeout=30.0)


def read(question: Question, output: Output) -> Finding:
    """Whether the install fits together, and what does not."""
    value = answer(output)
    if not isinstance(value, dict) or not isinstance(value.get("places"), list) or not isinstance(value.get("distributions"), dict):
        return unreadable(output)
    package, interpreter = question.parameters["framework"], question.parameters.get("interpreter", "python3")
    if not value["places"]:
        return Finding(outcome=Outcome.VOID, text=f"no folder of installed packages of {interpreter} can be read", control="no folder readable")
    control = f"{value['count']} distributions seen in {len(value['places'])} folders"
    data = {**value, "releases": value["distributions"]}
    if not value["location"]:
        absent = (seen(NAME, "install", "no-framework", module=package, interpreter=interpreter), predicted("missing-module", module=package))
        text = f"{package} is not installed for {interpreter} (Python {value['python']})"
        return Finding(outcome=Outcome.OBSERVED, text=text, signs=absent, control=control, data=data)
    signs, notes = _judged(package, value)
    text = f"{package} {value['release'] or '(release unknown)'} in {value['location']}, Python {value['python']}"
    text += f", torch {value['torch']}" if value["torch"] else ""
    text += "; " + ("; ".join(notes) if notes else "what it requires is there")
    if not signs and not question.parameters.get("meant"):
        signs = (seen(NAME, "install", "sound", framework=package),)
    return Finding(outcome=Outcome.OBSERVED, text=text, signs=signs, control=control, data=data)


def _judged(package: str, value: dict[str, Any]) -> tuple[tuple[Sign, ...], list[str]]:
    """The signs of what does not fit (none: sound), and a note on everything that differs from what is required."""
    signs: list[Sign] = []
    notes: list[str] = []
    _judge_torch(value, signs, notes)
    for entry in value["missing"]:
        name, module = entry["distribution"], entry["module"]
        if "+cpu" in "".join(value["distributions"].values()) and name in CPU_OMITS:
            continue
        if not entry.get("importer"):
            notes.append(f"{name} is required and absent, but nothing that runs at start imports it")
            continue
        origin = "litellm[proxy]" if package == "litellm" else name
        signs += [
            seen(NAME, "install", "missing-dependency", module=module, distribution=origin, wanted=entry["wanted"], importer=entry["importer"]),
            predicted("missing-module", module=module),
        ]
        notes.append(f"{name} is missing; {entry['importer']} imports {module} at start")
    for entry in value["wrong"]:
        if entry["distribution"] == "torch":
            continue
        note = f"{entry['distribution']} {entry['found']} is installed where {entry['by']} requires {entry['wanted']}"
        if entry.get("at_start"):
            about = {"module": entry["module"], "distribution": entry["distribution"], "wanted": entry["wanted"], "found": entry["found"]}
            signs.append(seen(NAME, "install", "wrong-dependency", **about))
            notes.append(f"{note}, and checks it at start")
        else:
            notes.append(f"{note} (a pin; it may work)")
    home = value["location"].rpartition("/")[0]
    if value.get("installed_in") and home != value["installed_in"]:
        notes.append(f"the package is taken from {home}, although {package} is installed in {value['installed_in']}")
    notes += [f"{name} is installed twice, as {first} and {second}" for name, first, second in value["duplicates"]]
    return tuple(signs), notes


def _judge_torch(value: dict[str, Any], signs: list[Sign], notes: list[str]) -> None:
    """A compiled extension is bound to the very torch it was built with."""
    wanted, found = value["torch_wanted"].strip(), value["torch"]
    if not wanted.startswith("==") or not found or not value["extensions"]:
        return
    built = wanted.lstrip("= ").partition("+")[0]
    if built != found.partition("+")[0] and "*" not in built:
        signs.append(seen(NAME, "install", "abi", library=value["extensions"][0], wanted="torch==" + wanted.lstrip("= "), found=found))
        notes.append(f"its compiled {value['extensions'][0]} was built for torch {wanted.lstrip('= ')}, and torch {found} is installed")


PROBE = Probe(
    name=NAME,
    about="what is installed for the interpreter of the program, and whether it fits together",
    variables=("install", "error"),
    cost=0.4,
    control="the folders of installed packages must be readable",
    check=True,
    paste="{python} -m pip check; {python} -m pip list | grep -iE 'vllm|sglang|litellm|torch|transformers'",
    questions=questions,
    command=command,
    read=read,
)
