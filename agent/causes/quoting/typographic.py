"""Characters of a word processor stand where plain ones belong.

What happens
    A command copied from a web page, a chat or a document bears curly quotes, an en dash for ``--``, a no-break space, or the ``\\r`` of a
    Windows line end.
How it shows
    ``unrecognized arguments: –port 8000``; a value in the error with ``“`` in it; an invalid value that looks right (``\\r`` behind it).
How to tell
    Bytes beyond ASCII, or a carriage return, in the argv or in the error's value.
Fix
    Plain characters.
Fix safety
    Only dashes, quotes, spaces and line ends are changed; letters are not.
References
    Unicode, "General Punctuation".
"""

from agent.causes.cause import Cause
from agent.causes.mending import in_words
from probes.probe import Situation
from transcripts.records import Change, Hypothesis, Repair

_PLAIN = str.maketrans(
    {
        "“": '"',
        "”": '"',
        "„": '"',
        "«": '"',
        "»": '"',
        "‘": "'",
        "’": "'",
        "‚": "'",
        "‑": "-",
        "−": "-",
        "‒": "-",
        "\u00a0": " ",
        "\u202f": " ",
        "\u2007": " ",
        "\u200b": "",
        "\u2060": "",
        "\ufeff": "",
        "\r": "",
    }
)


def _mend(hypothesis: Hypothesis, situation: Situation) -> tuple[Repair, ...]:
    """Every word with such characters, in plain ones."""
    plain = [_words(word, situation) for word in situation.arrival.argv]
    changes = tuple(
        Change(start=index, stop=index + 1, words=words)
        for index, (word, words) in enumerate(zip(situation.arrival.argv, plain, strict=True))
        if words != (word,)
    )
    if not changes:
        return in_words(
            "type the quotes, dashes and spaces of the command anew, in plain characters",
            "show them with: grep -nP '[^\\x00-\\x7F]|\\r' SCRIPT; take line ends of Windows away with: sed -i 's/\\r$//' COPY",
        )
    return (Repair(summary="replace typographic characters by plain ones", changes=changes, predicts="the words are recognised as they look"),)


def _words(word: str, situation: Situation) -> tuple[str, ...]:
    """The word in plain characters; where quotes or spaces of that kind stood around it, the words that were meant."""
    text = word
    if text[:1] in "–—" and text[1:2] != " ":
        name = text.lstrip("–—-")
        short = situation.table is not None and situation.table.find("-" + name.partition("=")[0]) is not None
        text = ("-" if short else "--") + name
    text = text.replace("–", "-").replace("—", "--").translate(_PLAIN)
    if text == word:
        return (word,)
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
        text = text[1:-1]
    if text.startswith("--") and " " in text and "=" not in text.partition(" ")[0]:
        return tuple(text.split())
    return (text,) if text.strip() else ()


CAUSE = Cause(
    id="quoting/typographic",
    prior=0.012,
    subject=("flag",),
    parameters=("value", "tokens", "index", "length"),
    table={
        "error": {
            "unrecognised": 0.45,
            "converter-refused": 0.2,
            "invalid-value": 0.1,
            "json-invalid": 0.05,
            "invalid-choice": 0.05,
            "repository-invalid": 0.05,
            "no-such-file": 0.04,
            "command-not-found": 0.03,
            "expected-argument": 0.01,
            "repository-not-found": 0.01,
        },
        "shape": {"typographic": 0.985},
        "kin": {"nowhere": 0.5, "near": 0.4},
        "sent": {"consistent": 0.9999},
        "exit": {"usage": 0.75},
    },
    summary="Typographic characters (curly quotes, a long dash, a no-break space or a carriage return) stand in {value}.",
    advice="Type the quotes, dashes and spaces anew in plain characters; convert the script's line ends.",
    mend=_mend,
    related=("flag/misspelt", "config/invalid-json"),
)
