"""Thinks, and alone may act."""
