"""Installs the small server in an environment of its own, as a person has the real one: a venv, a console script, a distribution."""

import shutil
import sys
import venv
from pathlib import Path

SITE = Path(__file__).parent / "site"
SCRIPT = "#!{python}\nimport sys\nfrom vllm.entrypoints.cli.main import main\nif __name__ == '__main__':\n    sys.exit(main())\n"


def install(folder: Path, release: str = "0.29.0") -> Path:
    """Make an environment in `folder` that holds the small server as `release`; returns the path of its ``vllm``."""
    venv.create(folder, with_pip=False, symlinks=True)
    packages = folder / "lib" / f"python{sys.version_info.major}.{sys.version_info.minor}" / "site-packages"
    shutil.copytree(SITE / "vllm", packages / "vllm")
    metadata = packages / f"vllm-{release}.dist-info"
    shutil.copytree(SITE / "vllm-0.29.0.dist-info", metadata)
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: vllm\nVersion: {release}\n")
    program = folder / "bin" / "vllm"
    program.write_text(SCRIPT.format(python=folder / "bin" / "python"))
    program.chmod(0o755)
    return program
