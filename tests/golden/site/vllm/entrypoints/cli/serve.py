"""The subcommand."""
