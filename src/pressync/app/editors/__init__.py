"""Gives editors the JSON schemas of the files that people write, and the settings that name them."""
