"""The install is partial, or another folder of the same name shadows it.

What happens
    A source tree in the working folder or on PYTHONPATH is imported instead of the installed package; or an install was interrupted.

How it shows
    A module of the framework itself is missing while its top package imports.

How to tell
    Where the package is imported from (its __file__), against site-packages.

Fix
    Leave the folder, unset PYTHONPATH, or install afresh.

Fix safety
    Only words: nothing is changed for you.

References
    https://docs.python.org/3/library/sys_path_init.html
"""

from agent.causes import packages
from agent.causes.cause import Cause

CAUSE = Cause(
    id="version/broken-install",
    prior=0.02,
    table={
        "error": {"missing-module": 0.42, "import-name": 0.2, "attribute-missing": 0.18, "undefined-symbol": 0.02, "other": 0.12},
        "companion": {"named": 0.08, "owner": 0.01},
        "install": {"sound": 0.15, "missing-dependency": 0.15, "no-framework": 0.3, "wrong-dependency": 0.1},
    },
    summary="The framework's install is partial or shadowed by another folder ({module}).",
    advice="Run from another folder and without PYTHONPATH; if that does not help, install it afresh in a clean environment.",
    subject=("module", "object"),
    parameters=("name",),
    suggest=packages.broken,
    related=("version/wrong-interpreter",),
)
