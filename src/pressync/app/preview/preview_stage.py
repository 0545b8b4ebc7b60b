"""The stage of a preview: it takes each state of the work tree, and says which page is which document.

The sync of the stage is that of the site with its limits lifted. So the stage has what a sync would send,
also where a sync of the site would stop and ask.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pressync.model.changes import Result
from pressync.model.errors import PressyncError
from pressync.plan.build import PlanOptions
from pressync.plan.limits import DeleteLimit
from pressync.server.own_links import to_paths
from pressync.sync.apply import RunOptions
from pressync.sync.approval import Approval

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Collection

    from pressync.app.preview.work_tree import WorkTree
    from pressync.app.rehearse.rendered_pages import StoredPages
    from pressync.app.workspace import Workspace
    from pressync.model.changes import Outcome, Plan
    from pressync.plan.survey import Progress
    from pressync.sync.apply import RunListener

_EVERYTHING = PlanOptions(allow_rewind=True, new_manifest=True, delete_limit=DeleteLimit(percent=100))


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviewOptions:
    """The options of a preview; with `drift` the site is read once, at the start."""

    port: int = 0
    drift: bool = False
    stop: threading.Event
    listener: RunListener
    progress: Progress | None = None
    # It hears of the plan that runs on the stage; nobody is asked.
    expect: Callable[[Plan], object] = lambda _plan: None


class PreviewStage:
    """The stage while it runs; `sync` comes before everything else."""

    def __init__(
        self, staged: Workspace, rendered: Callable[[], StoredPages], options: PreviewOptions
    ) -> None:
        self._staged = staged
        self._rendered = rendered
        self._options = options
        self._blocked: frozenset[str] | None = None

    def sync(self, tree: WorkTree) -> tuple[Outcome, ...]:
        """Sync the work tree to the stage.

        The stage has nobody's edits after the first sync. To overwrite reads every record of the stage, so it
        is done again only if something new is blocked.
        """
        before = self._blocked
        outcomes = self._synced(tree, overwrite=before is None)
        if before is not None and _blocked(outcomes) - before:
            done = [outcome for outcome in outcomes if outcome.result is Result.DONE]
            outcomes = (*done, *self._synced(tree, overwrite=True))
        self._blocked = _blocked(outcomes)
        with self._staged.reading() as state:
            self._entries = state.manifest.entries
            self._content = self._staged.content(tree, manifest=state.manifest)
        self._pages = self._rendered()
        return outcomes

    def document_at(self, page: str) -> str | None:
        """Give the path of the document that is shown at an address; None for any other page."""
        number = self._pages.id_at(page)
        found = (path for path, entry in self._entries.items() if entry.id == number)
        return next(found, None)

    def addresses(self) -> dict[str, str]:
        """Give the address of each document that has a page, by its path."""
        paths = self._pages.paths()
        return {path: paths[entry.id] for path, entry in self._entries.items() if entry.id in paths}

    def text(self, path: str) -> str | None:
        """Give the text of a document with the addresses of the stage; None if it cannot be rendered."""
        try:
            prepared = self._content.read(path, self._entries, check=False).prepared
        except PressyncError:
            return None
        return str(prepared.fields.get("content", "")) if prepared else None

    def with_paths(self, html: str) -> str:
        """Let the pictures and links of a text lead to the stage."""
        return to_paths(html, self._pages.own_addresses)

    def _synced(self, tree: WorkTree, *, overwrite: bool) -> tuple[Outcome, ...]:
        """Run one sync; files with problems are left out."""
        result = self._staged.sync(
            tree,
            replace(_EVERYTHING, overwrite=overwrite),
            RunOptions(overwrite=overwrite),
            Approval(self._agree, keep_going=True),
            stop=self._options.stop,
            listener=self._options.listener,
            progress=self._options.progress,
        )
        return result.outcomes if result else ()

    def _agree(self, plan: Plan) -> bool:
        self._options.expect(plan)
        return True


def _blocked(outcomes: Collection[Outcome]) -> frozenset[str]:
    return frozenset(outcome.change.path for outcome in outcomes if outcome.result is Result.BLOCKED)
