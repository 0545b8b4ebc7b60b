"""The manifest as text: read, written and merged."""
