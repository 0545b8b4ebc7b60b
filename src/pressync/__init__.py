"""pressync makes a site say what its Git repository says.

Nothing is imported here: a run with nothing to do must not pay for what it does not use.
"""

__version__ = "0.1.0"
