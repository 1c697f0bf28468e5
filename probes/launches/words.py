"""Sets of words written as one text."""


def words(text: str) -> frozenset[str]:
    """The words of `text`."""
    return frozenset(text.split())
