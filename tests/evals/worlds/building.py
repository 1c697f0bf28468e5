"""Small worlds for the tests: the record of a proxy whose option is misspelt, made by hand."""

from evals.world import Answer, Outcome, World, loose_key, question_key
from transcripts.records import Attempt, Command, Excerpt, Launch, Output, Piece, Question

GOOD = ("litellm", "--config", "/srv/c.yaml", "--port", "18001")
BAD = ("litellm", "--config", "/srv/c.yaml", "--prot", "18001")
LINE = "Error: No such option '--prot'. Did you mean '--port'?\n"
ASKED = Question(probe="port-owner", parameters={"port": "18001", "host": "127.0.0.1"})
LOOKS = Command(argv=("python3", "-I", "-S", "-c", "print()", "{}"), env={"A": "1"}, timeout=20.0)


def outcome(
    argv: tuple[str, ...], text: str, *, end: str = "exited", status: int | None = 2, shell: str | None = None, seconds: float = 3.0
) -> Outcome:
    """What became of a launch: a line of log, and how it ended."""
    launch = Launch(argv=("bash", "-c", shell), shell=shell) if shell else Launch(argv=argv)
    up = end == "up"
    attempt = Attempt(number=1, launch=launch, end="up" if up else "exited", exit_status=None if up else status, received=argv, seconds=seconds)
    excerpt = Excerpt(pieces=(Piece(line=1, offset=0, text=text),), lines=1, size=len(text))
    return Outcome(launch=launch, attempt=attempt, excerpt=excerpt, phases=(("arguments", 1.0),))


def answer(question: Question, command: Command, text: str, scene: int = 0) -> Answer:
    """A recorded answer."""
    output = Output(status=0, stdout=text, seconds=0.5)
    return Answer(question=question, key=question_key(question, command), loose=loose_key(question, command), output=output, scene=scene)


def world(*answers: Answer, launches: tuple[Outcome, ...] = ()) -> World:
    """A world that begins with the misspelt option and comes up without it."""
    known = launches or (outcome(BAD, LINE), outcome(GOOD, "Uvicorn running on http://127.0.0.1:18001\n", end="up"))
    return World(slug="0123456789ab", provenance="recorded-live", framework="litellm", launches=known, answers=answers)
