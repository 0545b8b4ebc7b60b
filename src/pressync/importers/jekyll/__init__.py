"""Reads a folder that Jekyll builds."""
