"""The parser: underscores for dashes, dotted options collected into one JSON value."""

import argparse
import contextlib
import json


class FlexibleArgumentParser(argparse.ArgumentParser):
    """argparse with ``--a_b`` for ``--a-b`` and ``--x.key value`` for ``--x '{"key": value}'``."""

    def parse_args(self, args, namespace=None):
        """Parse `args` after joining the dotted ones."""
        words, dotted, place = [], {}, 0
        while place < len(args):
            word = args[place]
            if word.startswith("--"):
                head, separator, tail = word.partition("=")
                word = head.replace("_", "-") if "." not in head else head
                word += separator + tail
            if word.startswith("--") and "." in word.split("=")[0] and place + 1 < len(args):
                flag, key = word.split(".", 1)
                value = args[place + 1]
                with contextlib.suppress(ValueError):
                    value = json.loads(value)
                dotted.setdefault(flag, {})[key] = value
                place += 2
                continue
            words.append(word)
            place += 1
        for flag, value in dotted.items():
            words += [flag, json.dumps(value)]
        return super().parse_args(words, namespace)
