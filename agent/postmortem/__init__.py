"""A postmortem rendered: as Markdown for a terminal, as one self-contained page for a browser."""
