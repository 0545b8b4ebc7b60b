"""Git's hooks: what kinds there are, what one is set up to do, and where the words of its command stand.

It must not know how a site is synced: a hook runs the same `pressync sync` and `pressync check` that
people run, as a process of its own. What decided its shape: Git waits for its hooks, so nearly all of
them must end in the shell, before Python starts, and the rest within a limit, whatever the site does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

POST_COMMIT, POST_MERGE, POST_RECEIVE = "post-commit", "post-merge", "post-receive"
PRE_COMMIT, PRE_PUSH = "pre-commit", "pre-push"
TYPES = (POST_COMMIT, PRE_PUSH, POST_MERGE, POST_RECEIVE, PRE_COMMIT)

# Git waits no longer than this for a site, in seconds, unless told otherwise.
TIME_LIMIT = 60.0

# With this variable at 0 every hook of ours does nothing: for people, and for the commit that a hook makes.
SWITCH = "PRESSYNC_HOOK"


@dataclass(frozen=True, slots=True)
class Setup:
    """What one hook is to do.

    `sites` empty means every site of the settings; `branch` is that of the sites whose settings name none,
    None where Git is asked each time; `time_limit` is in seconds.
    """

    sites: tuple[str, ...] = ()
    branch: str | None = None
    time_limit: float = TIME_LIMIT
    commit: bool = False
    config_file: Path | None = None

    @property
    def words(self) -> list[str]:
        """The options of `pressync hook run` that say the same."""
        said = [word for site in self.sites for word in ("--site", site)]
        said += ["--branch", self.branch] if self.branch else []
        said += ["--commit"] if self.commit else []
        return [*said, "--time-limit", f"{self.time_limit:g}"]
