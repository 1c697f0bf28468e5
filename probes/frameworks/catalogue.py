"""Every framework, one line each."""

from probes.frameworks.framework import Framework

FRAMEWORKS: tuple[Framework, ...] = ()
