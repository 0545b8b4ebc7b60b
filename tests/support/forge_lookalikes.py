"""Stand-ins for Forgejo's pull requests, for GitLab's notes, and for the end of a push with options there.

`_NOTES` and `_NOTE_ROW` were compared with `@gitbeaker/rest` 43.8.0, a client for TypeScript: with its types,
and with what it sends. It sends JSON, and GitLab's documentation has forms as well. The words of errors of a
note are those that people report. `_OPERATIONS` was compared with Gitea's client for TypeScript, `gitea-js`
1.23.0, which is made from the description that both servers publish. It names neither statuses nor words of
errors: those are of Gitea's source. The options of GitLab's push are those of its documentation and tests.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import parse_qs

from tests.support.github_lookalike import GitHub, Operation
from tests.support.wire import listening

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_PULL = "assignee assignees base body due_date labels milestone title"
_OPERATIONS = {
    "list_pulls": Operation("GET", "/pulls", {200}, query="state sort milestone labels poster page limit"),
    "create_pull": Operation(
        "POST", "/pulls", {201, 409, 422}, body=f"{_PULL} head reviewers team_reviewers", required="head base"
    ),
    "update_pull": Operation(
        "PATCH",
        r"/pulls/(?P<number>\d+)",
        {201, 409, 412, 422},
        body=f"{_PULL} state allow_maintainer_edit unset_due_date",
    ),
}
_A_PAGE = 2


@dataclass
class Forgejo(GitHub):
    """The pull requests of one repository. Its owner has set a small page."""

    prefix: ClassVar[str] = "/api/v1"
    operations: ClassVar[dict[str, Operation]] = _OPERATIONS
    anywhere: ClassVar[set[int]] = {401, 403, 404}

    def _list_pulls(self, asked: dict[str, Any]) -> tuple[int, Any]:
        assert asked["state"] == "open"
        size = min(int(asked["limit"]), _A_PAGE)
        first = (int(asked["page"]) - 1) * size
        return 200, self.open[first : first + size]

    def _update_pull(self, given: dict[str, Any]) -> tuple[int, Any]:
        status, found = super()._update_pull(given)
        return 201 if status == 200 else status, found

    def _create_pull(self, given: dict[str, Any]) -> tuple[int, Any]:
        if any(pull["head"]["ref"] == given["head"] for pull in self.open):
            return 409, {"message": "pull request already exists for these targets", "url": "/api/swagger"}
        return super()._create_pull(given)

    def _refusal(self, method: str, headers: dict[str, str]) -> tuple[int, Any] | None:
        del method
        if headers.get("Authorization") not in {f"Bearer {self.token}", f"token {self.token}"}:
            return 401, {"message": "invalid username, password or token", "url": "/api/swagger"}
        return None


@contextmanager
def serving_forgejo(repository: str, token: str) -> Iterator[Forgejo]:
    """Serve an empty Forgejo on a free port."""
    site = Forgejo(repository=repository, token=token)
    with listening(site):
        yield site


_THREAD = r"/merge_requests/(?P<number>\d+)/notes"
_NOTES = {
    "list_notes": Operation("GET", _THREAD, {200}, query="sort order_by page per_page"),
    "create_note": Operation(
        "POST",
        _THREAD,
        {201, 400},
        body="body internal created_at merge_request_diff_head_sha",
        required="body",
    ),
    "update_note": Operation("PUT", _THREAD + r"/(?P<note>\d+)", {200, 400}, body="body", required="body"),
}
_NOTE_ROW = """
    id body attachment author created_at updated_at system noteable_id noteable_type noteable_iid project_id
    resolvable
    """.split()  # noqa: SIM905 - twelve quoted words would be harder to read
_LONGEST_NOTE = 1_000_000


@dataclass
class GitLab(GitHub):
    """The notes of the merge requests of one project, oldest first; `repository` is its number."""

    prefix: ClassVar[str] = "/api/v4"
    projects: ClassVar[str] = "/projects"
    operations: ClassVar[dict[str, Operation]] = _NOTES
    anywhere: ClassVar[set[int]] = {401, 403, 404}

    requests: tuple[int, ...] = ()

    def _given(self, headers: dict[str, str], body: bytes) -> dict[str, Any]:
        if {name.lower(): text for name, text in headers.items()}[
            "content-type"
        ] != "application/x-www-form-urlencoded":
            return super()._given(headers, body)
        form = parse_qs(body.decode(), keep_blank_values=True, strict_parsing=True)
        assert all(len(values) == 1 for values in form.values())
        return {name: values[0] for name, values in form.items()}

    def _list_notes(self, asked: dict[str, Any]) -> tuple[int, Any]:
        rows = [note for note in self.comments if note["noteable_iid"] == int(asked["number"])]
        # The newest one is first, unless `sort` says otherwise.
        return 200, rows[::-1][: int(asked.get("per_page", 20))]

    def _create_note(self, given: dict[str, Any]) -> tuple[int, Any]:
        number = int(given["number"])
        if refused := self._refused_note(number, given["body"]):
            return refused
        self.comments.append(
            dict.fromkeys(_NOTE_ROW)
            | {"id": len(self.comments) + 1, "body": given["body"], "noteable_iid": number, "system": False}
            | {"noteable_type": "MergeRequest", "project_id": int(self.repository)}
        )
        return 201, self.comments[-1]

    def _update_note(self, given: dict[str, Any]) -> tuple[int, Any]:
        own = [note for note in self.comments if note["id"] == int(given["note"])]
        if refused := self._refused_note(int(given["number"]) if own else 0, given["body"]):
            return refused
        own[0]["body"] = given["body"]
        return 200, own[0]

    def _refused_note(self, number: int, text: str) -> tuple[int, Any] | None:
        if number not in self.requests:
            return 404, {"message": "404 Not found"}
        if not text.strip():
            return 400, {"message": '400 Bad request - Note {:note=>["can\'t be blank"]}'}
        if len(text) > _LONGEST_NOTE:
            return 400, {
                "message": '400 Bad request - Note {:note=>["is too long (maximum is 1000000 characters)"]}'
            }
        return None

    def _refusal(self, method: str, headers: dict[str, str]) -> tuple[int, Any] | None:
        del method
        # A header `JOB-TOKEN` reads a few things, and writes no notes.
        if {name.lower(): text for name, text in headers.items()}.get("private-token") != self.token:
            return 401, {"message": "401 Unauthorized"}
        return None


@contextmanager
def serving_gitlab(project: str, token: str, *requests: int) -> Iterator[GitLab]:
    """Serve the notes of the open merge requests of a project on a free port."""
    site = GitLab(repository=project, token=token, requests=requests)
    with listening(site):
        yield site


# `MergeRequests::PushOptionsHandlerService` finds the open request of the branch, or makes one if it is told
# to. A request whose source branch is gone is closed.
_HOOK = """\
#!/bin/bash
cd "$(dirname "$0")/.." || exit
read -r _ new reference
branch=${reference#refs/heads/}
declare -A given
options=
for ((number = 0; number < ${GIT_PUSH_OPTION_COUNT:-0}; number++)); do
  option=GIT_PUSH_OPTION_$number
  options+=" '${!option}'"
  case ${!option} in
    merge_request.create) given[create]=1 ;;
    merge_request.target=* | merge_request.title=*) name=${!option%%=*}
      given[${name#merge_request.}]=${!option#*=} ;;
    *) echo "${!option}" >> unknown-options ;;
  esac
done
case $new in *[!0]*) ;; *) rm -f merge-request; exit ;; esac
[ ${#given[@]} -gt 0 ] || exit 0
if ! git rev-parse --verify --quiet "refs/heads/${given[target]}" > here; then
  printf '\\nWARNINGS:\\nError encountered with push options%s: ' "$options"
  printf 'Target\\nbranch garden/site:%s does not exist\\n\\n' "${given[target]}"
  exit
fi
[ -f merge-request ] || [ "${given[create]}" ] || exit
printf '%s|%s|%s\\n' "$branch" "${given[target]}" "${given[title]}" > merge-request
printf '\\nView merge request for %s:\\n  https://gitlab.test/garden/site/-/merge_requests/1\\n\\n' "$branch"
"""


def play_gitlab(repository: Path) -> Path:
    """Let a bare repository answer as GitLab does; give the file that has the open merge request."""
    hook = repository / "hooks/post-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(_HOOK, encoding="utf-8")
    hook.chmod(0o755)
    with (repository / "config").open("a", encoding="utf-8") as file:
        file.write("[receive]\n\tadvertisePushOptions = true\n")
    return repository / "merge-request"
