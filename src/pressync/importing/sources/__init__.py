"""Reads the sources of an import: trees of other tools, exports, and sites."""
