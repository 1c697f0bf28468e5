"""A target behind a byte stream (ssh, an exec into a container): our end of it, and the helper that travels there."""
