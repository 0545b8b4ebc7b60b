"""Writes one comment of a pull request, and rewrites it on later runs, through GitHub's REST interface.

A comment is ours only if the workflow's account wrote it and it begins with our mark. Both are tested: the
token can change the comments of anybody, and anybody can write the mark ("REST API endpoints for issue
comments").
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pressync import __version__
from pressync.client import address
from pressync.model.errors import BadAnswer, ConfigError, NotSent, Refused

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import requests

# GitHub's error says: "Body is too long (maximum is 65536 characters)".
COMMENT_LIMIT = 65_536
DEFAULT_API = "https://api.github.com"

_AUTHOR = "github-actions[bot]"
_VERSION = "2022-11-28"
_A_PAGE = 100
# Seconds to connect, and seconds between two bytes.
_PATIENCE = (10, 30)


@dataclass(frozen=True, slots=True)
class Thread:
    """The conversation of one pull request; `repository` is `owner/name`."""

    api: str
    repository: str
    number: int

    @classmethod
    def of(cls, environ: Mapping[str, str], repository: str, number: int) -> Thread:
        """Name a thread; on GitHub Enterprise Server the environment has the interface's address."""
        return cls(environ.get("GITHUB_API_URL") or DEFAULT_API, repository, number)

    def put(self, mark: str, text: str, token: str, *, needed: bool = True) -> str:
        """Write `text` into the comment that begins with `mark`; give its address, or "" if there is none.

        With `needed` false an existing comment is rewritten, and a missing one is not created.

        :raises ServiceError: GitHub cannot be reached, or it refuses.
        :raises ConfigError: the token would be sent unencrypted.
        """
        body = f"{mark}\n{text}"
        with _session(self.api, token) as session:
            own = next((found for found in self._comments(session) if _is_ours(found, mark)), None)
            if own is None:
                if not needed:
                    return ""
                place = f"{self._place}/{self.number}/comments"
                return _address(_call(session, "POST", place, 201, json={"body": body}))
            if own.get("body") == body:
                return _address(own)
            place = f"{self._place}/comments/{int(own['id'])}"
            return _address(_call(session, "PATCH", place, 200, json={"body": body}))

    @property
    def _place(self) -> str:
        return f"{self.api.rstrip('/')}/repos/{self.repository}/issues"

    def _comments(self, session: requests.Session) -> Iterator[Mapping[str, Any]]:
        """Read the comments, oldest first."""
        page = 1
        while True:
            asked = {"per_page": _A_PAGE, "page": page}
            found = _call(session, "GET", f"{self._place}/{self.number}/comments", 200, params=asked)
            if not isinstance(found, list):
                raise BadAnswer("GitHub did not answer with a list of comments")
            yield from (comment for comment in found if isinstance(comment, dict))
            if len(found) < _A_PAGE:
                return
            page += 1


def _is_ours(comment: Mapping[str, Any], mark: str) -> bool:
    author = comment.get("user")
    by_us = isinstance(author, dict) and author.get("login") == _AUTHOR
    return by_us and str(comment.get("body") or "").startswith(mark)


def _session(api: str, token: str) -> requests.Session:
    import requests  # noqa: PLC0415 - most runs write no comment

    where = address.parse(api)
    if where.scheme != "https" and not where.loopback:
        raise ConfigError("the token would be sent unencrypted", where="GITHUB_API_URL", todo="use https")

    def authorised(request: requests.PreparedRequest) -> requests.PreparedRequest:
        # It is set as `auth`, because requests would otherwise prefer a netrc file of the machine.
        request.headers["Authorization"] = f"Bearer {token}"
        return request

    session = requests.Session()
    session.auth = authorised
    session.headers.update(
        {
            "Accept": "application/vnd.github+json",
            "X-GitHub-Api-Version": _VERSION,
            "User-Agent": f"pressync/{__version__}",
        }
    )
    return session


def _call(session: requests.Session, method: str, url: str, expected: int, **more: Any) -> Any:  # noqa: ANN401
    """Make one call and read its JSON; a status other than `expected` is an error with GitHub's message."""
    import requests  # noqa: PLC0415 - as above

    try:
        response = session.request(method, url, timeout=_PATIENCE, allow_redirects=False, **more)
    except requests.RequestException as error:
        raise NotSent(f"GitHub cannot be reached ({type(error).__name__})") from error
    try:
        document = response.json()
    except ValueError:
        document = None
    if response.status_code != expected:
        message = document.get("message") if isinstance(document, dict) else response.reason
        raise Refused(f"GitHub answered {response.status_code}: {message}", status=response.status_code)
    if document is None:
        raise BadAnswer("GitHub did not answer with JSON")
    return document


def _address(comment: Mapping[str, Any]) -> str:
    return str(comment.get("html_url") or "")
