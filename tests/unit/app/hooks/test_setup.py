"""The setup of a hook as arguments: `pressync hook run` reads back the same setup."""

from __future__ import annotations

import pytest

from pressync.app.hooks.installation import TIME_LIMIT, Setup


@pytest.mark.parametrize(
    ("setup", "words"),
    [
        (Setup(), ["--time-limit", f"{TIME_LIMIT:g}"]),
        (Setup(branch="main"), ["--branch", "main", "--time-limit", "60"]),
        (
            Setup(("live", "test"), commit=True, time_limit=2.5),
            ["--site", "live", "--site", "test", "--commit", "--time-limit", "2.5"],
        ),
    ],
)
def test_each_option_is_an_argument(setup: Setup, words: list[str]) -> None:
    assert setup.words == words
