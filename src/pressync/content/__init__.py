"""Tracked files become documents, and documents become HTML."""
