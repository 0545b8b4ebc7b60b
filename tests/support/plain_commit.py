"""What `git add --all` and `git commit` do in a plain repository, in this process by libgit2.

The tests make some thousand commits, most of them of one or two files. libgit2 runs neither hooks nor
filters, so a repository with more than `git init` made gets Git itself.
"""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING

import pygit2
from pygit2.enums import ConfigLevel

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

# What `git init` and `git clone` write.
CONFIG = """\
[core]
\trepositoryformatversion = 0
\tfilemode = true
\tbare = false
\tlogallrefupdates = true
"""
_REMOTES = re.compile(r'(?:\[(?:remote|branch) "[^"\n]*"\]\n|\t(?:url|fetch|remote|merge) = .*\n)*')
# Others, such as MERGE_HEAD, say that something is under way.
_FILES = frozenset(
    {
        *("branches", "config", "description", "HEAD", "hooks", "info", "objects", "refs", "index", "logs"),
        *("COMMIT_EDITMSG", "packed-refs", "FETCH_HEAD", "ORIG_HEAD", "pressync"),
    }
)
_VARIABLES = re.compile(
    r"GIT_(?:CONFIG_(?:GLOBAL|SYSTEM)|CEILING_DIRECTORIES|(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL))"
)

# The settings of the person who runs the tests have no effect.
for _level in (ConfigLevel.SYSTEM, ConfigLevel.XDG, ConfigLevel.GLOBAL):
    pygit2.settings.search_path[_level] = ""


def commit(root: Path, message: str, name: str, email: str) -> str | None:
    """Commit all files, and give the id of the commit; None if this needs Git itself."""
    if not _is_plain(root):
        return None
    repository = pygit2.Repository(root)
    index = repository.index
    index.add_all()
    index.write()
    now = time.time()
    person = pygit2.Signature(name, email, int(now), time.localtime(now).tm_gmtoff // 60)
    parents = [] if repository.head_is_unborn else [repository.head.target]
    return str(repository.create_commit("HEAD", person, person, f"{message}\n", index.write_tree(), parents))


def is_plain(environ: Mapping[str, str]) -> bool:
    """Whether no variable of Git has an effect on a commit."""
    return all(_VARIABLES.fullmatch(name) for name in environ if name.startswith("GIT_"))


def _is_plain(root: Path) -> bool:
    """Whether the repository has nothing that `git init` and `git clone` do not make, and a branch."""
    git = root / ".git"
    try:
        if not _FILES.issuperset(each.name for each in git.iterdir()):
            return False
        config, head = (git / "config").read_text(), (git / "HEAD").read_text()
        hooks = [each for each in (git / "hooks").iterdir() if each.suffix != ".sample"]
    except OSError:
        return False
    has_attributes = (git / "info" / "attributes").exists() or any(root.rglob(".gitattributes"))
    is_settled = config.startswith(CONFIG) and _REMOTES.fullmatch(config[len(CONFIG) :])
    return bool(is_settled and head.startswith("ref: refs/heads/")) and not (hooks or has_attributes)
