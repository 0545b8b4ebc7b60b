"""Takes edits from a site over into the Markdown files."""
