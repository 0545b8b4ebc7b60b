"""Reads a folder that Hugo builds."""
