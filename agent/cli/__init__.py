"""The command line: one command per file. Imports nothing by itself, so that help is quick."""
