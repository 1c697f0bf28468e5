"""Part of the small server."""
