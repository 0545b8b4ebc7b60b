"""What editors get: JSON schemas of the files that people write, and the settings that name them."""
