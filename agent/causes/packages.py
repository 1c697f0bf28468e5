"""Whose module it is that an import error names: the framework's own, a part of it, or another package's. Pure."""

from collections.abc import Callable

from agent.causes.cause import Parameters
from transcripts.records import Sign

FRAMEWORKS = frozenset({"vllm", "litellm", "sglang"})
ELSEWHERE = "another module"
"""The subject of a hypothesis that the import error at hand is not about."""
PLAIN = frozenset({"str", "list", "dict", "tuple", "int", "float", "bool", "NoneType"})
"""Types of plain values: that one of them lacks an attribute says that a value has the wrong form, not that a package does not fit."""
NATIVE = ("_C", "_moe_C", "_rocm_C", "torch.ops", "_ops", ".so")
"""What the names of compiled extensions contain."""

_ERRORS = frozenset({"missing-module", "import-name", "attribute-missing", "undefined-symbol", "signature-mismatch"})


def top(module: str) -> bool:
    """Whether `module` is a framework's top package: the framework itself is not there."""
    return module in FRAMEWORKS


def part(module: str) -> bool:
    """Whether `module` is a module inside a framework, a compiled one aside."""
    head, dot, _ = module.partition(".")
    return bool(dot) and head in FRAMEWORKS and not native(module)


def area(module: str) -> bool:
    """Whether `module` is a part right below a framework's top package. Python names the first part that is missing: one so high is a broken tree.

    A source tree on the way to the install has no compiled part either.
    """
    return (part(module) and module.count(".") == 1) or (module.partition(".")[0] in FRAMEWORKS and native(module))


def leaf(module: str) -> bool:
    """Whether `module` lies deeper in a framework: what holds it is there, and it alone is gone."""
    return part(module) and module.count(".") > 1


def native(text: str) -> bool:
    """Whether `text` names a compiled extension or an operator of one."""
    return any(mark in text for mark in NATIVE)


def foreign(module: str) -> bool:
    """Whether `module` belongs to another package than the framework."""
    return module.partition(".")[0] not in FRAMEWORKS


def _suggesting(accepts: Callable[[str], bool], names: tuple[str, ...]) -> Callable[[tuple[Sign, ...]], list[Parameters]]:
    def suggest(signs: tuple[Sign, ...]) -> list[Parameters]:
        found: list[Parameters] = []
        for sign in signs:
            module = sign.parameters.get("module", "")
            if sign.value == "attribute-missing" and not _may_lack(sign.parameters.get("object", ""), accepts):
                found.append({"object": ELSEWHERE})
            if sign.variable == "error" and sign.value in _ERRORS and module:
                about = {name: sign.parameters[name] for name in names if name in sign.parameters}
                # What `from A import B` misses is B: A itself was found.
                missed = f"{module}.{sign.parameters['name']}" if sign.value == "import-name" and sign.parameters.get("name") else module
                importer = sign.parameters.get("importer", "")
                fits = _misses_itself(missed, importer, accepts) or accepts(_dependency(missed, importer))
                fits = fits and not (accepts is leaf and importer == missed.partition(".")[0])
                found.append({"module": module, **_said(signs, module, names), **about} if fits else {"module": ELSEWHERE})
        return found or [_plain(signs, ("module", *names))]

    return suggest


def _dependency(module: str, importer: str) -> str:
    """`module`, or, where another framework imports it, a name that is no framework's: to that one it is a package like any other."""
    return f"_{module}" if importer and importer != module.partition(".")[0] and module.partition(".")[0] in FRAMEWORKS else module


def _misses_itself(module: str, importer: str, accepts: Callable[[str], bool]) -> bool:
    """Whether the framework's own code imports a part of the framework that is not there: no release does that, a mixed or partial install does."""
    return accepts is area and part(module) and importer == module.partition(".")[0]


def _may_lack(name: str, accepts: Callable[[str], bool]) -> bool:
    """Whether the lack may be this cause's doing: plain values lack nothing, and operators miss only where the compiled part is gone."""
    return name not in PLAIN and (accepts is area or not (native(name) or name == "_OpNamespace"))


def _said(signs: tuple[Sign, ...], module: str, names: tuple[str, ...]) -> Parameters:
    """What looks at the install and at the command say besides, where it is about `module` or about no module."""
    looks = [sign for sign in signs if sign.variable in ("install", "command") and sign.parameters.get("module", module) == module]
    return _plain(tuple(looks), names)


def _plain(signs: tuple[Sign, ...], names: tuple[str, ...]) -> Parameters:
    copied: Parameters = {}
    for sign in signs:
        for name in names:
            if name in sign.parameters and sign.variable in ("error", "install", "command"):
                copied.setdefault(name, sign.parameters[name])
    return copied


itself = _suggesting(top, ("meant", "path", "command"))
"""A `suggest` for causes that hide the framework itself."""
broken = _suggesting(area, ("name",))
"""A `suggest` for causes that hide a whole part of the framework."""
gone = _suggesting(leaf, ("name",))
"""A `suggest` for causes that took one module of the framework away."""
others = _suggesting(foreign, ("name", "wanted", "found"))
"""A `suggest` for causes in the packages that the framework stands on."""
