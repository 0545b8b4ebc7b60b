"""The comment of a pull request, on a server that answers as GitHub's documentation says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.github_lookalike import LIMIT, serving

from pressync.app.github.comment import COMMENT_LIMIT, Thread
from pressync.model.errors import BadAnswer, ConfigError, NotSent, Refused

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.github_lookalike import GitHub

MARK = "<!-- pressync:live -->"
TOKEN = "ghs_secret"
REPOSITORY = "garden/site"


@pytest.fixture
def github() -> Iterator[GitHub]:
    with serving(REPOSITORY, TOKEN) as site:
        yield site


def put(github: GitHub, text: str, *, mark: str = MARK, needed: bool = True) -> str:
    """Put the comment of pull request 7."""
    return Thread(github.url, REPOSITORY, 7).put(mark, text, TOKEN, needed=needed)


def test_it_is_found_behind_hundreds_of_others_and_not_written_twice(
    github: GitHub,
) -> None:
    for number in range(230):
        github.add(7, f"A remark {number}", author="ada")
    own = github.add(7, f"{MARK}\nold")
    put(github, "new")
    assert own["body"] == f"{MARK}\nnew"
    assert [line.split()[0] for line in github.heard] == ["GET", "GET", "GET", "PATCH"]
    put(github, "new")
    assert [line.split()[0] for line in github.heard[4:]] == ["GET", "GET", "GET"]


def test_of_another_pull_request_another_site_or_another_author_it_is_not_ours(github: GitHub) -> None:
    others = [
        github.add(8, f"{MARK}\nother pull request"),
        github.add(7, "<!-- pressync:staging -->\nother site"),
        github.add(7, f"{MARK}\nother author", author="mallory"),
        github.add(7, f"I quote:\n{MARK}\n"),
    ]
    before = [comment["body"] for comment in others]
    put(github, "ours")
    assert [comment["body"] for comment in others] == before
    assert len(github.comments) == 5


def test_one_that_is_not_needed_is_renewed_and_never_begun(github: GitHub) -> None:
    assert put(github, "nothing", needed=False) == ""
    put(github, "something")
    put(github, "nothing", needed=False)
    assert [comment["body"] for comment in github.comments] == [f"{MARK}\nnothing"]


def test_the_limit_is_githubs(github: GitHub) -> None:
    assert COMMENT_LIMIT == LIMIT
    put(github, "x" * (LIMIT - len(MARK) - 1))
    with pytest.raises(Refused, match="too long"):
        put(github, "x" * LIMIT)


def test_no_error_repeats_the_token_and_it_crosses_no_network_in_the_clear(github: GitHub) -> None:
    with pytest.raises(Refused) as wrong:
        Thread(github.url, REPOSITORY, 7).put(MARK, "x", "ghs_wrong")
    assert "ghs_" not in str(wrong.value)
    with pytest.raises(NotSent) as away:
        Thread("http://127.0.0.1:9", REPOSITORY, 7).put(MARK, "x", TOKEN)
    assert "ghs_" not in str(away.value)
    with pytest.raises(ConfigError, match="unencrypted"):
        Thread("http://github.test/api/v3", REPOSITORY, 7).put(MARK, "x", TOKEN)


def test_a_netrc_of_the_machine_does_not_take_the_tokens_place(
    github: GitHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login ada password other\n", encoding="utf-8")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    assert put(github, "x")


def test_what_github_refuses_or_garbles_is_told(github: GitHub, monkeypatch: pytest.MonkeyPatch) -> None:
    github.writable = False
    with pytest.raises(Refused, match="403: Resource not accessible by integration"):
        put(github, "x")
    github.broken = True
    with pytest.raises(Refused, match="502"):
        put(github, "x")
    monkeypatch.setattr(github, "answer", lambda *_: (200, {"message": "hello"}))
    github.broken = False
    with pytest.raises(BadAnswer):
        put(github, "x")
