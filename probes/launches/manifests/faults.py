"""The faults that a manifest's format makes sure of, as signs: what the file says can be seen before anything is launched."""

from probes.launches.shapes import shape_of
from transcripts.records import Fault, Sign

ORDER = 2
"""A file that is refused, or a command that cannot be executed, dies before any argument is read."""
OPERATORS = frozenset({"&&", "||", "|", ";", "&", ">", ">>", "<", "2>", "2>>", "&>", "2>&1", "1>&2", "|&", "<<<"})
REDIRECTIONS = frozenset({">", ">>", "<", "2>", "2>>", "&>"})


def manifest(what: str, text: str, /, *, order: int = ORDER, **parameters: str) -> Fault:
    """A fault of the variable ``manifest``, whose value is `what`."""
    return Fault(signs=(Sign(variable="manifest", value=what, parameters=parameters, source="check"),), order=order, text=text)


def wrong_type(path: str, line: int, field: str, value: str, kind: str) -> Fault:
    """A `kind` (number, boolean, mapping…) where the format takes only text."""
    text = f"{path} line {line}: {value} is read as a {kind}, and {field} takes only text: put it in quotes"
    return manifest("wrong-type", text, order=0, flag=field, value=value, type=kind)


def refused(path: str, line: int, message: str, field: str = "") -> Fault:
    """A file that the runtime refuses as a whole."""
    said = f"line {line}: {message}" if line else message
    return manifest("refused", f"{path}: {said}", order=0, path=path, message=said, line=str(line), **({"key": field} if field else {}))


def unbalanced(path: str, line: int, field: str) -> Fault:
    """A quote that stays open."""
    message = f"line {line}: a quote in {field} stays open"
    return manifest("unbalanced", f"{path} {message}", order=0, path=path, message=message, line=str(line), key=field)


def backslashes(path: str, line: int, field: str) -> Fault:
    """Backslashes at the ends of lines that the file's format joins itself."""
    text = f"{path} line {line}: the lines of {field} are joined anyway, and a backslash makes the blank behind it a part of the next word"
    signs = (
        Sign(variable="shape", value="backslash", parameters={"value": "\\ "}, source="check"),
        Sign(variable="delivery", value="cut", parameters={"value": "\\ "}, source="check"),
    )
    return Fault(signs=signs, order=ORDER, text=text)


def interpolation(path: str, line: int, value: str) -> Fault:
    """A dollar sign that compose refuses."""
    signs = (
        Sign(variable="error", value="interpolation", parameters={"value": value, "name": value}, source="check"),
        Sign(variable="shape", value=shape_of(value) if shape_of(value) in ("dollar", "template") else "template", source="check"),
    )
    return Fault(signs=signs, order=0, text=f"{path} line {line}: invalid interpolation format in {value}: a literal dollar sign is written $$")


def first_operator(words: tuple[str, ...]) -> str:
    """The first word that only a shell understands (empty: there is none)."""
    if words and "=" in words[0] and words[0].partition("=")[0].isidentifier():
        return words[0]
    if words[:1] in (("cd",), ("source",), ("export",)):
        return words[0]
    return next((word for word in words if word in OPERATORS), "")


def no_shell(operator: str, reader: str) -> Fault:
    """Shell syntax where no shell reads it."""
    return manifest("no-shell", f"{reader} has no shell read the command: {operator} reaches the program as a word", value=operator)


def not_a_list(text: str, value: str, shown: str) -> Fault:
    """One text where a list of words is wanted; its shape tells a whole command from an option with its value."""
    flag = {"flag": value.split(" ", 1)[0].partition("=")[0]} if value.startswith("-") else {}
    about = {**flag, "value": shown[:300]}
    signs = (
        Sign(variable="manifest", value="not-a-list", parameters=about, source="check"),
        Sign(variable="shape", value="joined" if flag else "whole-command", parameters=about, source="check"),
    )
    return Fault(signs=signs, order=0, text=text)
