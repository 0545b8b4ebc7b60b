"""Imports a tree of another tool, an export or a site: writes files, and an account of the whole source."""
