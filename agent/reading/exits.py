"""Exit statuses as evidence: what kind of end each one is. Pure."""

_EXITS = {
    0: "ok",
    1: "failure",
    2: "usage",
    126: "denied",
    127: "absent",
    137: "killed",
    -9: "killed",
    143: "terminated",
    -15: "terminated",
    130: "terminated",
    -2: "terminated",
    129: "terminated",
    132: "illegal",
    -4: "illegal",
    135: "bus",
    -7: "bus",
    -1: "terminated",
}
_CRASHES = frozenset((133, 134, 136, 139, -5, -6, -8, -11, 159, -31))


def exit_class(status: int) -> str:
    """The value of the variable ``exit`` for an exit status as Python gives it (negative for a signal) or as a shell does (128 + signal)."""
    return _EXITS.get(status, "crashed" if status in _CRASHES else "failure")
