"""The order of releases. Pure."""

import re


def release_key(release: str) -> tuple[int, ...]:
    """A release as numbers, for ordering: a candidate before its release, a post release after it, what follows a ``+`` left out; empty for none."""
    plain = release.strip().lower().partition("+")[0].removeprefix("v")
    match = re.match(r"\d+(?:\.\d+)*", plain)
    if match is None:
        return ()
    numbers = [int(number) for number in match[0].split(".")]
    post, early = re.search(r"post(\d+)", plain), re.search(r"(rc|dev|a|b)(\d*)", plain[match.end() :])
    # A nightly (dev) comes before the candidates, whatever its number.
    stage = (-1 if early[1] == "rc" else -3 if early[1] == "dev" else -2, int(early[2] or 0)) if early else (0, 0)
    return (*[*numbers, 0, 0, 0][:4], *((1, int(post[1])) if post and not early else stage))
