"""The manifest as text: reading, writing and merging."""
