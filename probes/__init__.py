"""One cheap read-only question per file, and what they look at."""
