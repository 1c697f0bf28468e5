"""Where plays are made: joblib's own processes, or a cluster that must be joined first. Its library is imported by name when it is asked for."""

import importlib
from typing import Any

from transcripts.errors import UsageError

_NEEDS = {"ray": ("ray.util.joblib", "ray"), "dask": ("dask.distributed", "dask[distributed]")}

_joined: dict[str, Any] = {}


def joined(backend: str) -> None:
    """Make `backend` known to joblib. Ray joins the cluster that RAY_ADDRESS names, Dask that of DASK_SCHEDULER_ADDRESS, else one of this machine.

    Raises:
        UsageError: its library is not installed.
    """
    if backend == "loky" or backend in _joined:
        return
    module, package = _NEEDS[backend]
    try:
        library = importlib.import_module(module)
    except ModuleNotFoundError as error:
        raise UsageError(f"the backend {backend} needs {error.name}, which is not installed: pip install '{package}'") from error
    if backend == "ray":
        library.register_ray()
    _joined[backend] = library.Client() if backend == "dask" else library
