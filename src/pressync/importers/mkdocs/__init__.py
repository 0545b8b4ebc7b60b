"""Reads a folder that MkDocs builds."""
