"""A shared library cannot be loaded.

What happens
    An extension links against a library that this machine or image does not have.

How it shows
    cannot open shared object file: No such file or directory, at import.

How to tell
    ldd on the extension that the traceback names.

Fix
    Install the package that brings the library.

Fix safety
    Only words: nothing is changed for you.

References
    man 8 ld.so
"""

from agent.causes.cause import Cause

CAUSE = Cause(
    id="environment/library",
    prior=0.025,
    table={
        "error": {
            "library-missing": 0.86,
            "driver-absent": 0.04,
            "device": 0.03,
            "import-name": 0.01,
            "missing-module": 0.01,
            "undefined-symbol": 0.01,
        },
        "install": {"sound": 0.6, "abi": 0.03},
    },
    summary="A shared library that the framework needs cannot be loaded: {library}.",
    advice="Install the system package that brings the library, or put its folder on LD_LIBRARY_PATH.",
    parameters=("library", "symbol"),
)
