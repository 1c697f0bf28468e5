"""Repairs become one launch: every change once, on the words it was written for."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.fixes import applied, compose, is_dangerous
from probes.frameworks.catalogue import find_entry, recognise
from probes.launches.arrival import Arrival
from probes.launches.understand import understand
from probes.probe import Situation
from transcripts.records import Change, FileCopy, Hypothesis, Launch, Repair

MISSPELT = Hypothesis(cause="flag/misspelt", parameters={"flag": "--prot"})
REMOVED = Hypothesis(cause="flag/removed", parameters={"flag": "--swap-space"})


def _situation(*argv: str) -> Situation:
    launch = Launch(argv=argv)
    arrival = understand(launch, files={}, environment={}, find_entry=find_entry)
    found = recognise(arrival.argv)
    return Situation(launch=launch, arrival=arrival, framework=found[0] if found else None, entry=found[1] if found else None)


def test_changes_are_made_on_the_indices_of_the_original() -> None:
    """Dropping and lengthening words on the left does not move what is changed on the right."""
    changes = (Change(start=2, stop=4), Change(start=5, stop=6, words=("x", "y")), Change(start=7, stop=7, words=("end",)))
    assert applied(("vllm", "serve", "--a", "1", "/m", "--b", "2"), changes) == ("vllm", "serve", "/m", "x", "y", "2", "end")


def test_what_is_put_in_front_of_a_replaced_word_stays_in_front() -> None:
    """An insertion and a replacement at the same place are both made, the insertion first."""
    assert applied(("a", "b"), (Change(start=1, stop=1, words=("i",)), Change(start=1, stop=2, words=("r",)))) == ("a", "i", "r")


@settings(max_examples=60)
@given(st.lists(st.integers(0, 9), unique=True, max_size=10))
def test_the_order_of_the_changes_does_not_matter(places: list[int]) -> None:
    """Changes of different words give the same argv in whatever order they are named."""
    argv = tuple("abcdefghij")
    changes = [Change(start=at, stop=at + 1, words=(argv[at].upper(), "+")) for at in places]
    assert applied(argv, changes) == applied(argv, sorted(changes, key=lambda change: change.start))


def test_two_repairs_make_one_launch() -> None:
    """Both faults are mended at once, and the fix says so."""
    situation = _situation("vllm", "serve", "/m", "--prot", "8000", "--swap-space", "4")
    spelled = Repair(summary="write --port", changes=(Change(start=3, stop=4, words=("--port",)),))
    dropped = Repair(summary="leave --swap-space out", changes=(Change(start=5, stop=7),))
    fix = compose(situation.launch, situation, [(MISSPELT, spelled), (REMOVED, dropped)])
    assert fix.argv == ("vllm", "serve", "/m", "--port", "8000")
    assert fix.launch is not None
    assert fix.launch.argv == fix.argv
    assert fix.mends == (MISSPELT, REMOVED)
    assert fix.summary == "write --port; leave --swap-space out"


def test_changes_of_the_same_words_are_made_once() -> None:
    """Of two repairs of the same words the first stands, and the second is not told as if it had been made."""
    situation = _situation("vllm", "serve", "/m", "--prot", "8000")
    first = Repair(summary="write --port", changes=(Change(start=3, stop=4, words=("--port",)),))
    second = Repair(summary="leave --prot out", changes=(Change(start=3, stop=5),))
    fix = compose(situation.launch, situation, [(MISSPELT, first), (REMOVED, second)])
    assert fix.argv == ("vllm", "serve", "/m", "--port", "8000")
    assert fix.summary == "write --port"


def test_a_fix_goes_through_the_layers_of_the_launch() -> None:
    """What arrives is corrected, and the launch that is executed is the same shell with the corrected text."""
    situation = _situation("bash", "-c", "vllm serve /m --prot 8000")
    at = situation.arrival.argv.index("--prot")
    repair = Repair(summary="write --port", changes=(Change(start=at, stop=at + 1, words=("--port",)),))
    fix = compose(situation.launch, situation, [(MISSPELT, repair)])
    assert fix.launch is not None
    assert fix.launch.argv[:2] == ("bash", "-c")
    again = understand(fix.launch, files={}, environment={}, find_entry=find_entry)
    assert again.argv == ("vllm", "serve", "/m", "--port", "8000")


def test_words_alone_make_no_launch() -> None:
    """A repair that only a person can make gives steps, no argv and no launch."""
    situation = _situation("vllm", "serve", "/m")
    fix = compose(situation.launch, situation, [(MISSPELT, Repair(summary="look it up", steps=("nostart flags",)))])
    assert (fix.launch, fix.argv, fix.steps) == (None, (), ("nostart flags",))


def test_a_log_alone_gives_words() -> None:
    """Without a launch nothing is composed."""
    launch = Launch(argv=())
    repair = Repair(summary="write --port", steps=("write --port",))
    fix = compose(launch, Situation(launch=launch, arrival=Arrival()), [(MISSPELT, repair)])
    assert (fix.launch, fix.argv, fix.summary) == (None, (), "write --port")


def test_files_and_secrets_of_a_repair_go_with_the_launch() -> None:
    """A corrected copy and a secret to be generated are part of the fix."""
    situation = _situation("litellm", "--config", "/srv/c.yaml")
    copy = FileCopy(original="/srv/c.yaml", name="c.yaml", text="model_list: []\n")
    repair = Repair(
        summary="correct the copy",
        changes=(Change(start=2, stop=3, words=("{run}/c.yaml",)), Change(env={"LITELLM_MASTER_KEY": "$LITELLM_MASTER_KEY"})),
        files=(copy,),
        generated=("LITELLM_MASTER_KEY",),
    )
    fix = compose(situation.launch, situation, [(MISSPELT, repair)])
    assert fix.argv == ("litellm", "--config", "{run}/c.yaml")
    assert (fix.files, fix.generated) == ((copy,), ("LITELLM_MASTER_KEY",))
    assert fix.env == {"LITELLM_MASTER_KEY": "$LITELLM_MASTER_KEY"}


@pytest.mark.parametrize("name", ["--dangerously-allow-all", "--allow-unsafe-things", "--insecure"])
def test_no_switch_that_calls_itself_dangerous_is_added(name: str) -> None:
    """A repair that would add one is left out whole; one that the person typed may stay."""
    situation = _situation("vllm", "serve", "/m")
    repair = Repair(summary="never", changes=(Change(start=3, stop=3, words=(name,)),))
    fix = compose(situation.launch, situation, [(MISSPELT, repair)])
    assert (fix.launch, fix.mends) == (None, ())
    assert is_dangerous(repair, ("vllm", "serve", "/m", name)) is False
