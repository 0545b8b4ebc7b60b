"""A run loads `requests` without the library that guesses encodings, which others may still load."""

from __future__ import annotations

import subprocess
import sys

_LOADED = """
import sys
import pressync.client.http
print([name for name in sys.modules if name.startswith("charset_normalizer")])
import charset_normalizer
assert charset_normalizer.from_bytes("é".encode()).best()
"""


def test_nothing_that_guesses_encodings_is_loaded() -> None:
    # `requests` warns where it cannot guess. Nobody may see that, and nobody may stumble over it.
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", _LOADED], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "[]", "")
