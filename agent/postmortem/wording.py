"""The sentences of a postmortem that every rendering shares. Text from logs is made harmless by whoever shows it."""

from transcripts.postmortem.story import Cost, FaultStory, Moment, Postmortem, Void, Weight

_RANGE = (0.1, 100.0)


def counted(number: int, one: str, many: str = "") -> str:
    """A number with its noun."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def cost(spent: Cost) -> str:
    """What was spent, in words."""
    return f"{counted(spent.launches, 'launch', 'launches')}, {counted(spent.probes, 'probe')}, {seconds(spent.seconds)}"


def seconds(value: float) -> str:
    """A duration as people read it; none was recorded where it is 0."""
    if value <= 0:
        return "time not recorded"
    if value >= 120:
        return f"{int(value // 60)} min {value % 60:.0f} s"
    return f"{value:.1f} s" if value >= _RANGE[0] else f"{value * 1000:.0f} ms"


def ratio(weight: Weight) -> str:
    """A likelihood ratio in words: how many times likelier or less likely the sign is under the cause."""
    value = weight.ratio
    if value >= 1:
        return f"{value:.0f} times likelier" if value >= 10 else f"{value:.1f} times likelier"
    if value <= 0:
        return "impossible"
    return f"{1 / value:.0f} times less likely" if 1 / value >= 10 else f"{1 / value:.1f} times less likely"


def moment(found: Moment, about: str) -> str:
    """When a cause was decidable, in a sentence; `about` names it."""
    where = f"from launch {found.launch} alone" if found.launch else "without any launch"
    believed = f" (probability {min(found.believed, 0.999):.1%})" if found.believed else ""
    return f"{about} was decidable {where}: step {found.seq}{_when(found.at)}{believed}."


def _when(at: float) -> str:
    return f", {seconds(at)} after the start" if at > 0 else ""


def after(found: Moment) -> str:
    """What was spent after the cause was decidable."""
    return f"Spent after it: {cost(found.after)}."


def no_moment(fault: FaultStory) -> str:
    """Why there is no such moment."""
    return f"{fault.hypothesis.cause} was at no time likely enough to be called decided (it ended at {fault.probability:.0%})."


def fault_title(fault: FaultStory) -> str:
    """A fault by its cause and how sure it is."""
    sure = "confirmed by a relaunch" if fault.confirmed else f"{min(fault.probability, 0.999):.1%}"
    return f"{fault.hypothesis.cause} ({sure})"


def void(item: Void) -> str:
    """What a question without an answer is worth."""
    if item.outcome == "void":
        return "its control failed, so its silence says nothing"
    return f"could not look: {item.outcome}"


def ending(told: Postmortem) -> str:
    """How the run itself ended, where that is worth a word."""
    if told.torn:
        return "The last line of the transcript is torn: the run died while writing it."
    if not told.reason:
        return "The transcript has no end: the run was cut off."
    return "" if told.reason == "done" else f"The run ended early: {told.reason}."
