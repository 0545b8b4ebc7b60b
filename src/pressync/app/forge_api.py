"""The forges as rows, and the REST interface of one for a repository: one request, one page, one error.

The token goes to one address alone, and never unencrypted. A redirect is an error, because it could lead the
token elsewhere. GitHub, Forgejo and Gitea have one interface, but for what their rows tell.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

from pressync import __version__
from pressync.client import address
from pressync.client.responses import inside
from pressync.model.errors import BadAnswer, ConfigError, NotSent, Refused

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import requests


DEFAULT_API = "https://api.github.com"

# Seconds to connect, and seconds between two bytes.
_PATIENCE = (10, 30)


@dataclass(frozen=True, slots=True, kw_only=True)
class Forge:
    """A forge: the variables that tell a job of it, its server and its token; each list is in order.

    `public` is the server that is meant if no variable names one, and `path` the variable of a job with the
    path of the repository. The other facts are those of its interface; without one, Git's push opens the
    request.
    """

    name: str
    jobs: tuple[str, ...] = ()
    servers: tuple[str, ...]
    tokens: tuple[str, ...]
    public: str
    path: str = ""
    page_size: str = ""
    largest_page: int = 0
    # The status of the response to a change.
    changed: int = 200
    accept: str = ""
    version: str = ""

    def server(self, environ: Mapping[str, str]) -> str:
        """Give the address of the server that an environment means."""
        return (next(filter(None, map(environ.get, self.servers)), "") or self.public).rstrip("/")


GITLAB = Forge(
    name="GitLab",
    jobs=("GITLAB_CI",),
    servers=("CI_SERVER_URL",),
    tokens=("GITLAB_TOKEN",),
    public="https://gitlab.com",
    path="CI_PROJECT_PATH",
)
FORGEJO = Forge(
    name="Forgejo",
    servers=("FORGEJO_SERVER_URL", "GITEA_SERVER_URL"),
    tokens=("FORGEJO_TOKEN", "GITEA_TOKEN"),
    public="https://codeberg.org",
    page_size="limit",
    # `MAX_RESPONSE_ITEMS` of its settings.
    largest_page=50,
    changed=201,
    accept="application/json",
)
GITHUB = Forge(
    name="GitHub",
    jobs=("GITHUB_REPOSITORY",),
    servers=("GITHUB_SERVER_URL",),
    tokens=("GITHUB_TOKEN",),
    public="https://github.com",
    path="GITHUB_REPOSITORY",
    page_size="per_page",
    largest_page=100,
    accept="application/vnd.github+json",
    version="2022-11-28",
)
# The runners of Forgejo and Gitea set the variables of GitHub's, too.
FORGEJO_JOB = replace(
    FORGEJO,
    jobs=("FORGEJO_ACTIONS", "GITEA_ACTIONS"),
    servers=GITHUB.servers,
    tokens=(*FORGEJO.tokens, *GITHUB.tokens),
    path=GITHUB.path,
)


@dataclass(frozen=True, slots=True)
class ForgeApi:
    """The interface for one repository, `owner/name`, with open connections; close it with a `with` block."""

    base: str
    repository: str
    session: requests.Session
    forge: Forge = GITHUB

    @classmethod
    def of(cls, environ: Mapping[str, str], repository: str, token: str) -> Self:
        """Open the interface; on GitHub Enterprise Server the environment has its address.

        :raises ConfigError: the token would be sent unencrypted.
        """
        return cls.at(environ.get("GITHUB_API_URL") or DEFAULT_API, repository, token, GITHUB)

    @classmethod
    def at(cls, api: str, repository: str, token: str, forge: Forge) -> Self:
        """Open the interface of a forge at an address.

        :raises ConfigError: the token would be sent unencrypted.
        """
        import requests  # noqa: PLC0415 - most runs write no comment

        where = address.parse(api)
        if where.scheme != "https" and not where.loopback:
            raise ConfigError("the token would be sent unencrypted", where=where.origin, todo="use https")

        def authorised(request: requests.PreparedRequest) -> requests.PreparedRequest:
            # It is set as `auth`, because requests would otherwise prefer a netrc file of the machine.
            request.headers["Authorization"] = f"Bearer {token}"
            return request

        session = requests.Session()
        session.auth = authorised
        session.headers["Accept"] = forge.accept
        if forge.version:
            session.headers["X-GitHub-Api-Version"] = forge.version
        session.headers["User-Agent"] = f"pressync/{__version__}"
        return cls(f"{api.rstrip('/')}/repos/{repository}", repository, session, forge)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.session.close()

    def call(self, method: str, place: str, expected: int, **more: Any) -> Any:  # noqa: ANN401
        """Make one call and read its JSON; another status than `expected` is an error with its message.

        :raises ServiceError: the forge cannot be reached, or it refuses.
        """
        import requests  # noqa: PLC0415 - as above

        url, forge = f"{self.base}{place}", self.forge.name
        try:
            response = self.session.request(method, url, timeout=_PATIENCE, allow_redirects=False, **more)
        except requests.RequestException as error:
            raise NotSent(f"{forge} cannot be reached ({type(error).__name__})") from error
        try:
            document = response.json()
        except ValueError:
            document = None
        if response.status_code != expected:
            message = response.reason
            if isinstance(document, dict):
                # `errors` has the reasons, some of them as a field and a code alone.
                errors = document.get("errors")
                reasons = [str(document.get("message"))]
                for reason in errors if isinstance(errors, list) else []:
                    row = reason if isinstance(reason, dict) else {"message": reason}
                    reasons.append(str(row.get("message") or f"{row.get('field')}: {row.get('code')}"))
                message = "; ".join(reasons)
            raise Refused(f"{forge} answered {response.status_code}: {message}", status=response.status_code)
        if document is None:
            raise BadAnswer(f"{forge} did not answer with JSON")
        return document

    def every(self, place: str, **query: str) -> Iterator[Mapping[str, Any]]:
        """Read all objects of a list, in its order.

        :raises ServiceError: as for `call`.
        """
        page, (size, most) = 1, (self.forge.page_size, self.forge.largest_page)
        while True:
            page_rows = self.call("GET", place, 200, params={**query, size: most, "page": page})
            if not isinstance(page_rows, list):
                raise BadAnswer(f"{self.forge.name} did not answer with a list")
            yield from (row for row in page_rows if isinstance(row, dict))
            # The owner of a Forgejo may have set a smaller largest page.
            if len(page_rows) < (most if self.forge is GITHUB else 1):
                return
            page += 1


def page_of(row: Mapping[str, Any]) -> str:
    """Give the address at which people see a comment or a pull request; "" if it names none."""
    return str(row.get("html_url") or "")


# GitHub's error says: "Body is too long (maximum is 65536 characters)".
COMMENT_LIMIT = 65_536

_AUTHOR = "github-actions[bot]"


def comment(api: ForgeApi, number: int, mark: str) -> Mapping[str, Any]:
    """Read the comment of a pull request that begins with `mark`; empty if there is none.

    :raises ServiceError: the forge cannot be reached, or it refuses.
    """
    for row in api.every(f"/issues/{number}/comments"):
        if inside(row, "user", "login") == _AUTHOR and str(row.get("body") or "").startswith(mark):
            return row
    return {}


def put_comment(api: ForgeApi, number: int, mark: str, text: str, *, needed: bool = True) -> str:
    """Write `text` into the comment that begins with `mark`; give its address, or "" if there is none.

    With `needed` false an existing comment is rewritten, and a missing one is not created.

    :raises ServiceError: the forge cannot be reached, or it refuses.
    """
    body = f"{mark}\n{text}"
    own = comment(api, number, mark)
    if not own:
        thread = f"/issues/{number}/comments"
        return page_of(api.call("POST", thread, 201, json={"body": body})) if needed else ""
    if own["body"] == body:
        return page_of(own)
    return page_of(api.call("PATCH", f"/issues/comments/{int(own['id'])}", 200, json={"body": body}))


def put_pull_request(api: ForgeApi, branch: str, base: str, title: str, body: str) -> str:
    """Open the pull request of a branch into `base`, or give it this text; give its address.

    :raises ServiceError: the forge cannot be reached, or it refuses.
    """
    text = {"title": title, "body": body, "base": base}
    requests = _open(api, branch)
    if not requests:
        return page_of(api.call("POST", "/pulls", 201, json={**text, "head": branch}))
    first = requests[0]
    if any(_now(first, name) != value for name, value in text.items()):
        api.call("PATCH", f"/pulls/{int(first['number'])}", api.forge.changed, json=text)
    return page_of(first)


def close_pull_request(api: ForgeApi, branch: str) -> str:
    """Close the pull request of a branch; give its address, "" if none is open.

    :raises ServiceError: the forge cannot be reached, or it refuses.
    """
    requests = _open(api, branch)
    for request in requests:
        api.call("PATCH", f"/pulls/{int(request['number'])}", api.forge.changed, json={"state": "closed"})
    return page_of(requests[0]) if requests else ""


def merged(api: ForgeApi, commit: str, base: str) -> int | None:
    """Give the number of the pull request whose merge into a branch made a commit; None if there is none.

    :raises ServiceError: the forge cannot be reached, or it refuses.
    """
    for row in api.every(f"/commits/{commit}/pulls"):
        if row.get("merged_at") and row.get("merge_commit_sha") == commit and _now(row, "base") == base:
            return int(row["number"])
    return None


def _open(api: ForgeApi, branch: str) -> list[Mapping[str, Any]]:
    """Read the open pull requests of a branch.

    GitHub ignores a `head` without its owner, and lists all. Forgejo and Gitea have no `head`.
    """
    owner, home = api.repository.partition("/")[0], api.repository.lower()
    head = {"head": f"{owner}:{branch}"} if api.forge is GITHUB else {}
    return [
        row
        for row in api.every("/pulls", state="open", **head)
        # A fork may have a branch of the same name.
        if inside(row, "head", "ref") == branch
        and str(inside(row, "head", "repo", "full_name")).lower() == home
    ]


def _now(row: Mapping[str, Any], name: str) -> object:
    value = row.get(name)
    return value.get("ref") if isinstance(value, dict) else value
