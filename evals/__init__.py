"""Asks how good a strategy is."""
