"""Makes failing launches with known causes from launches that work."""
