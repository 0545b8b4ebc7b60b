"""Defines the types of hooks and the setup of one hook.

A hook runs `pressync sync` and `pressync check`, as people do, in a process of its own. Git waits for its
hooks. So nearly all calls must end in the shell, before Python starts, and the others end within a time
limit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

POST_COMMIT, POST_MERGE, POST_RECEIVE = "post-commit", "post-merge", "post-receive"
PRE_COMMIT, PRE_PUSH = "pre-commit", "pre-push"
TYPES = (POST_COMMIT, PRE_PUSH, POST_MERGE, POST_RECEIVE, PRE_COMMIT)

# Seconds that Git waits for a site at most, unless the setup of the hook has another limit.
TIME_LIMIT = 60.0

# If this variable is 0, our hooks do nothing. People set it, and so does a hook that commits the manifest.
SWITCH = "PRESSYNC_HOOK"


@dataclass(frozen=True, slots=True)
class Setup:
    """The options of one hook.

    Empty `sites` mean every site of the settings. `branch` is for sites whose settings name none; if it is
    None, Git is asked each time. `time_limit` is in seconds.
    """

    sites: tuple[str, ...] = ()
    branch: str | None = None
    time_limit: float = TIME_LIMIT
    commit: bool = False
    config_file: Path | None = None

    @property
    def words(self) -> list[str]:
        """The same options as arguments of `pressync hook run`."""
        words = [word for site in self.sites for word in ("--site", site)]
        words += ["--branch", self.branch] if self.branch else []
        words += ["--commit"] if self.commit else []
        return [*words, "--time-limit", f"{self.time_limit:g}"]
