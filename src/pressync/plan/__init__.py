"""The plan: which changes the site needs, and in which order."""
