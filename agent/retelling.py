"""The signs of an error told by the word that is at fault, where the error prints another: what a parser prints can be innocent. Pure."""

import json
import re
from collections.abc import Sequence
from itertools import pairwise

from msgspec import structs

from agent.kinship import kinship
from probes.atlas.converters import flag_name, late_json, late_json_name
from probes.launches.shapes import shape_of
from probes.probe import Situation
from transcripts.records import Sign

_ONE_DASH = re.compile(r"-[A-Za-z][\w-]{2,}")
_GLUED = re.compile(r"[A-Za-z][\w-]*-[\w-]+|[a-z_]{3,}")
_NEAR = frozenset(("near", "single-dash", "underscore"))
_IMPORTS = frozenset(("missing-module", "import-name"))


def retold(signs: Sequence[Sign], situation: Situation) -> tuple[Sign, ...]:
    """The signs with the subject of their error set right, as far as the launch and the flag tables tell it."""
    error = next((sign for sign in signs if sign.variable == "error"), None)
    if error is None:
        return tuple(signs)
    told = _led_by_one_dash(error, situation) or _behind_json(error, situation) or _glued_to_a_short_option(error, situation)
    if told:
        return (*told, *(sign for sign in signs if sign.variable not in ("error", "shape")))
    if (first := _foremost(error, situation)) is not None:
        return tuple(first.get(sign.variable, sign) for sign in signs)
    return tuple(_by_whom(sign, situation) for sign in signs)


def _told(error: Sign, flag: str, shape: str, **more: str) -> tuple[Sign, Sign]:
    about = {"flag": flag, "value": flag, **more}
    return (
        structs.replace(error, parameters={**error.parameters, **about}),
        Sign(variable="shape", value=shape, parameters=about, source=error.source),
    )


def _led_by_one_dash(error: Sign, situation: Situation) -> tuple[Sign, ...]:
    """A parser that takes the first letter for a short option and the rest for its value is left with the word that was meant as the value."""
    word, argv = error.parameters.get("value", ""), situation.arrival.argv
    if error.value != "unrecognised" or not word or word.startswith("-"):
        return ()
    at = next((place for place, (one, after) in enumerate(pairwise(argv)) if after == word and _ONE_DASH.fullmatch(one)), -1)
    return _told(error, argv[at], "single-dash", index=str(at), length="2") if at >= 0 else ()


def _behind_json(error: Sign, situation: Situation) -> tuple[Sign, ...]:
    """Words left over behind an option that takes any text for its JSON: they are the rest of that JSON, and the option is the subject."""
    word, argv = error.parameters.get("value", ""), situation.arrival.argv
    if error.value != "unrecognised" or not word or word.startswith("-") or word not in argv:
        return ()
    at = argv.index(word)
    start = next((place for place in range(at - 1, -1, -1) if argv[place].startswith("-")), -1)
    option = situation.table.find(argv[start]) if situation.table is not None and start >= 0 else None
    takes_any = late_json(option) if option is not None else start >= 0 and late_json_name(argv[start])
    if not takes_any or at != start + 2 or _is_json(argv[start + 1]):
        return ()
    end = next((place for place in range(at, len(argv)) if argv[place].startswith("-")), len(argv))
    about = {"flag": flag_name(option) if option else argv[start], "value": argv[start + 1], "index": str(start), "length": str(end - start)}
    shape = shape_of(argv[start + 1], wants_json=True).replace("_", "-")
    return (
        structs.replace(error, parameters={**error.parameters, **about}),
        Sign(variable="shape", value=shape, parameters=about, source=error.source),
        Sign(variable="registered", value="yes", parameters={"flag": about["flag"]}, source="atlas"),
    )


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _glued_to_a_short_option(error: Sign, situation: Situation) -> tuple[Sign, ...]:
    """``-num-gpu`` read as ``-n`` with the value ``um-gpu`` and refused as that: where the launch has the word, or there is such a long flag."""
    short, value, argv = error.parameters.get("short", ""), error.parameters.get("value", ""), situation.arrival.argv
    if error.value not in ("invalid-value", "invalid-choice") or not short or not _GLUED.fullmatch(value):
        return ()
    word = short + value
    found = _meant(word, situation)
    if word not in argv and not any(sign.variable == "kin" and sign.value in _NEAR for sign in found):
        return ()
    place = {"index": str(argv.index(word)), "length": "2"} if word in argv else {}
    return (*_told(error, word, "single-dash", **place), *found)


def _meant(word: str, situation: Situation) -> tuple[Sign, ...]:
    """What is known of a word with one dash: one that the parser takes with two dashes was meant so."""
    if not _has("-" + word, situation):
        return kinship(word, situation)
    about = {"flag": word}
    return (
        Sign(variable="registered", value="no", parameters=about, source="atlas"),
        Sign(variable="kin", value="single-dash", parameters={**about, "near": "-" + word}, source="atlas"),
    )


def _foremost(error: Sign, situation: Situation) -> dict[str, Sign] | None:
    """Of several options that were printed the first that this parser does not have, where the very first is one that it has."""
    text = error.parameters.get("tokens", "")
    if error.value != "unrecognised" or not text.startswith("["):
        return None
    tokens = [str(token) for token in json.loads(text)]
    flags = [token for token in tokens if token.startswith("--") and " " not in token]
    if len(flags) < 2 or error.parameters.get("flag") != flags[0].partition("=")[0] or not _has(flags[0], situation):
        return None
    other = next((flag for flag in flags[1:] if _lacks(flag, situation)), "")
    if not other:
        return None
    told, shape = _told(error, other.partition("=")[0], "flag")
    return {"error": told, "shape": shape}


def _has(flag: str, situation: Situation) -> bool:
    return any((sign.variable, sign.value) == ("registered", "yes") for sign in kinship(flag, situation))


def _lacks(flag: str, situation: Situation) -> bool:
    return any((sign.variable, sign.value) == ("registered", "no") for sign in kinship(flag, situation))


def _by_whom(sign: Sign, situation: Situation) -> Sign:
    """An import error with the framework whose launch it ended as the importer, where the log does not tell one."""
    if sign.variable != "error" or sign.value not in _IMPORTS or situation.framework is None or sign.parameters.get("importer"):
        return sign
    module = sign.parameters.get("module", "")
    if "." in module or module == situation.framework.package:
        return sign
    return structs.replace(sign, parameters={**sign.parameters, "importer": situation.framework.package})
