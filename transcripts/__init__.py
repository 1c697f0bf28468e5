"""The vocabulary and the record. Imports nothing of ours."""
