"""Thinks, and alone may act."""

__version__ = "0.1.0"
