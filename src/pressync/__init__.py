"""pressync makes a site say what its Git repository says.

This file imports nothing, so that a run with nothing to do loads only what it uses.
"""

__version__ = "0.1.0"
