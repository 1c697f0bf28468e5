"""LLM: a language model chooses the next question from the same list, by the same belief and the same stop rule.

The model sees the likeliest causes, the decisive line of the log as quoted data, and the questions by name. What it answers is taken only where it
is one of these names; anything else, and an advisor that cannot be asked, ends the asking. It can neither make up a command nor change the belief.
"""

from agent.advisor import Choice, Consultation
from agent.belief import ranking
from agent.strategies.strategy import Action, Candidate, Options, asking, order, out_of_questions, settled
from transcripts.records import Belief

MOST_CAUSES = 8
LONGEST = 2000
"""Characters of the log that are shown."""
TRY, STOP = "try-the-fix", "stop"


def choose(belief: Belief, options: Options) -> Action:
    """The next action."""
    done = settled(belief, options)
    if done is not None:
        return done
    if options.advisor is None:
        return Action(kind="stop", why="no language model is named: there is nobody to choose")
    listed = {f"{number}:{c.probe.name}": c for number, c in enumerate(sorted(options.candidates, key=order), 1)}
    if not listed:
        return out_of_questions(belief, options)
    answer = options.advisor.choose(_consultation(belief, options, listed)).strip()
    if answer in listed:
        return asking(listed[answer], "chosen by the language model")
    if answer == TRY and options.can_try:
        return Action(kind="try", why="chosen by the language model", cost=options.relaunch_cost)
    return Action(kind="stop", why="the language model stops" if answer == STOP else "the language model named none of the choices")


def _consultation(belief: Belief, options: Options, listed: dict[str, Candidate]) -> Consultation:
    asked = tuple(Choice(name=name, about=_about(c), cost=c.probe.cost) for name, c in listed.items())
    trying = (Choice(name=TRY, about="launch again with the fix of the likeliest cause", cost=options.relaunch_cost),) if options.can_try else ()
    stopping = (Choice(name=STOP, about="stop: no question would tell more", cost=0.0),)
    line = options.symptom.line[:LONGEST] if options.symptom else ""
    return Consultation(believed=ranking(belief)[:MOST_CAUSES], quoted=line, choices=(*asked, *trying, *stopping))


def _about(candidate: Candidate) -> str:
    told = ", ".join(f"{name} {value!r}" for name, value in sorted(candidate.question.parameters.items()) if len(value) <= 120)
    return candidate.probe.about + (f" ({told})" if told else "")
