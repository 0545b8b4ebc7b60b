"""The library `requests`, loaded without the library that guesses the encoding of a text.

That library takes 3 MB and 7 ms of each run. `requests` can do without it, and reads a text as UTF-8 if the
response names no encoding. Here all responses are read as bytes.
"""

from __future__ import annotations

import sys
import warnings

_GUESSING = "charset_normalizer"

_is_loaded = _GUESSING in sys.modules
if not _is_loaded:
    # With None in its place, Python does not find a module.
    sys.modules[_GUESSING] = None  # type: ignore[assignment]
try:
    with warnings.catch_warnings():
        # `requests` warns that it cannot guess.
        warnings.simplefilter("ignore")
        import requests
        import requests.adapters
finally:
    if not _is_loaded:
        del sys.modules[_GUESSING]

__all__ = ["requests"]
