"""A real Ray on this machine, with two workers, gives the same results as loky."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from evals.store import slugs
from tests.live.conftest import HERE

pytestmark = pytest.mark.live

SCRIPT = """
import json, sys
from pathlib import Path
import ray
from evals.results import Results
from evals.run import Plan, run
told = json.loads(sys.argv[1])
ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, object_store_memory=100_000_000)
plan = Plan(slugs=tuple(told["slugs"]), strategies=("information-gain", "random", "checklist"), seeds=2)
for backend in ("ray", "loky"):
    run(plan, Results(Path(told["folder"]) / backend), processes=2, backend=backend)
"""


def _environment() -> Path:
    made = subprocess.run([HERE / "venv.sh", "evals"], capture_output=True, text=True)
    if made.returncode:
        pytest.skip(f"Ray cannot be had here: {made.stderr.strip().splitlines()[-1:]}")
    return Path(made.stdout.strip())


def test_ray_and_loky_play_the_same(tmp_path: Path) -> None:
    """Every transcript and the whole index hold the same, whichever backend made them."""
    told = json.dumps({"slugs": slugs()[::40], "folder": str(tmp_path)})
    variables = {**os.environ, "RAY_AUTH_MODE": "disabled", "RAY_USAGE_STATS_ENABLED": "0", "RAY_raylet_start_wait_time_s": "240"}
    done = subprocess.run([_environment() / "bin" / "python", "-c", SCRIPT, told], capture_output=True, text=True, env=variables, cwd=tmp_path)
    assert (0, "") == (done.returncode, "" if done.returncode == 0 else done.stderr[-3000:])
    by_ray, by_loky = ({path.name: path.read_bytes() for path in (tmp_path / name / "transcripts").glob("*.jsonl")} for name in ("ray", "loky"))
    assert by_ray
    assert by_ray == by_loky
    indices = [sorted((tmp_path / name / "plays.jsonl").read_bytes().splitlines()) for name in ("ray", "loky")]
    assert indices[0] == indices[1]
