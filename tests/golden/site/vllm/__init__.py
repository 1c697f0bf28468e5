"""A small server with the layout, the options, the errors and the processes of the real one, for tests without it."""
