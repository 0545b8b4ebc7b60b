"""Rehearses the sync of a commit: brings a stage to the manifest, syncs the commit, checks all links.

Only the sync is the rehearsal, and `Workspace.sync` makes it, as in `pressync sync`. So whatever a rehearsal
tells is what the same code did on the stage. Nothing is written to the site, its manifest, its journal or the
work tree. `check` of a work tree knows only its own documents, and here the whole site is there: archives,
feeds, uploaded pictures, the pages of others. Only of a dead link is the document read again, for its line.
"""

from __future__ import annotations

import html
from collections import Counter, defaultdict
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import unquote

from msgspec import structs

from pressync.app.revision import Revision, other_branch
from pressync.content import document_checks
from pressync.content.render.links import lines, references
from pressync.model.changes import Change, Create, Delete, Keep, Outcome, Plan, Refusal, Result, Update
from pressync.model.fingerprint import fingerprint
from pressync.model.printable import listed
from pressync.model.web_address import from_root, joined, split
from pressync.plan import notes, schema_changes
from pressync.plan.build import PlanOptions
from pressync.stage.rehearse.embedded_stage import EmbeddedStage
from pressync.stage.rehearse.live_site import LiveSite, SiteReader, Unread, site_of
from pressync.stage.rehearse.stage import SiteDifference, on_stage
from pressync.sync.apply import RunListener, RunOptions
from pressync.sync.control import Approval

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
    from pathlib import Path

    from pressync.app.workspace import Workspace
    from pressync.content.content import Content
    from pressync.model.interface import Kind
    from pressync.model.outcomes import RunResult
    from pressync.model.records import Entry, Manifest
    from pressync.plan.build import PlannedRun
    from pressync.plan.survey import Progress
    from pressync.stage.rehearse.stage import RehearsalStage, RenderedPage, RenderedSite
    from pressync.state.state import State


_PICTURES = frozenset({"img", "source"})
_MEDIA = frozenset({"video", "audio", "track"})


@dataclass(frozen=True, slots=True, order=True)
class DeadLink:
    """A link that leads nowhere: its file and line, and its target as the file has it.

    `kind` is `page`, `file`, `picture`, `media`, `anchor`, or `hidden` for a record that visitors do not see.
    """

    path: str
    line: int
    target: str
    kind: str


@dataclass(frozen=True, slots=True)
class CheckedLinks:
    """The number of links into the site, and the dead ones by place."""

    checked: int = 0
    dead: tuple[DeadLink, ...] = ()


@dataclass(frozen=True, slots=True)
class _Reference:
    """A link of a rendered page into the site; `url` is as the page has it, `path` is below the host."""

    page: tuple[Kind, int]
    tag: str
    url: str
    address: str
    path: str
    fragment: str


@dataclass
class LinkCheck:
    """One check. `answering` tells which addresses the site has that the stage does not have."""

    site: RenderedSite
    content: Content
    entries: Mapping[str, Entry]
    answering: Callable[[Collection[str]], Collection[str]] = lambda _addresses: ()
    _count: int = field(default=0, init=False)

    def run(self) -> CheckedLinks:
        """Check every public page, and the drafts that have a document: they are to be published one day."""
        paths = {(entry.kind, entry.id): entry.path for entry in self.entries.values()}
        drafts = {*self.site.secret.values()}
        dead: list[tuple[_Reference, str]] = []
        pointing: dict[str, list[_Reference]] = defaultdict(list)
        for page in self.site.pages(paths.keys()):
            for reference in self._references(page):
                self._count += 1
                if not self.site.has(reference.path):
                    kind = self._kind(reference)
                    # A draft may be published together with the one that it links to.
                    dead += [(reference, kind)] * (kind != "hidden" or reference.page not in drafts)
                elif reference.fragment and reference.tag == "a":
                    pointing[reference.path].append(reference)
        asked = {reference.address for reference, kind in dead if kind != "hidden"}
        there = self.answering(asked) if asked else ()
        dead = [each for each in dead if each[0].address not in there]
        for path, references_ in pointing.items():
            target = self.site.page_at(path)
            ids = document_checks.ids_of(target.html, target.title) if target else frozenset()
            for reference in references_ if target else ():
                if document_checks.is_dead_anchor(reference.fragment, ids):
                    dead.append((reference, "anchor"))
        placed: dict[str, list[tuple[_Reference, str]]] = defaultdict(list)
        for reference, kind in dead:
            if document := paths.get(reference.page):
                placed[document].append((reference, kind))
        found = {link for document, some in placed.items() for link in self._placed(document, some)}
        return CheckedLinks(self._count, tuple(sorted(found)))

    def _references(self, page: RenderedPage) -> Iterator[_Reference]:
        """Give the links of a page that lead into the site."""
        home = split(self.site.address)
        for tag, url in references(f"{page.html}\n{page.excerpt}"):
            address, _, fragment = (joined(page.address, url.strip()) or "").partition("#")
            parts = split(address)
            if not home or not parts:
                continue
            below = parts.path == home.path or parts.path.startswith(f"{home.path.rstrip('/')}/")
            if parts.scheme in {"http", "https"} and parts.netloc.lower() == home.netloc.lower() and below:
                path = from_root(address) or "/"
                yield _Reference((page.kind, page.id), tag, url, address, path, fragment)

    def _kind(self, reference: _Reference) -> str:
        if reference.tag in _PICTURES:
            return "picture"
        if reference.tag in _MEDIA:
            return "media"
        if self.site.hidden(reference.path):
            return "hidden"
        path = reference.path.partition("?")[0]
        ending = path.rpartition("/")[2].rpartition(".")[2] if "." in path.rpartition("/")[2] else ""
        return "page" if ending.lower() in {"", "md", "markdown", "html", "htm"} else "file"

    def _placed(self, path: str, dead: Collection[tuple[_Reference, str]]) -> Iterator[DeadLink]:
        """Find the lines of a document's dead links, and how the file writes them."""
        written = self._written(path)
        for reference, kind in dead:
            places = written.get(reference.url) or [self._in_template(path, reference.url)]
            for file, line, target in places:
                yield DeadLink(file, line, target, kind)

    def _written(self, path: str) -> dict[str, list[tuple[str, int, str]]]:
        """Give file, line and text of each link of a document's body, by the link as the page has it."""
        document = self.content.parse(path).document if path in self.content.sources else None
        found: dict[str, list[tuple[str, int, str]]] = defaultdict(list)
        if document is None:
            return found
        placed = self.content.renderer.placed(document)
        rows = list(lines(placed, document.body))
        before = references(placed)
        after = references(self.content.laid_out(document, self.entries, every_link=True))
        for (_, target), (_, url), line in zip(before, after, rows, strict=True):
            # The parser encodes letters that are not ASCII.
            plain = unquote(target)
            written = plain if target not in document.body and plain in document.body else target
            found[url].append((path, document.body_line + line - 1, written))
        return found

    def _in_template(self, path: str, url: str) -> tuple[str, int, str]:
        """Find a link that is not in the document's body in its template; else name the document alone."""
        document = self.content.parse(path).document if path in self.content.sources else None
        layout = self.content.renderer.layouts.of(document) if document else ""
        folder = self.content.settings.templates
        template = f"{folder}/{layout}" if folder else layout
        text = self.content.repository.text(self.content.tree.files.get(template, "")) or ""
        for number, line in enumerate(text.split("\n"), 1):
            if url in line or html.escape(url) in line:
                return template, number, url
        return path, 1, url


_TEMPLATE = "template"


def unread_templates(changes: Iterable[Change], live: LiveSite) -> Iterator[SiteDifference]:
    """Say which documents name a template that is not known on the site; the stage takes every one."""
    changes = list(changes)
    known = {
        (change.kind, change.entry.fingerprints.get(_TEMPLATE))
        for change in changes
        if isinstance(change, Update | Keep)
    }
    known |= {(each.kind, fingerprint(each.fields.get(_TEMPLATE, ""))) for each in live.records}
    empty = fingerprint("")
    sent = (change for change in changes if isinstance(change, Create | Update))
    named = (
        (change, change.desired.fingerprints.get(_TEMPLATE, empty))
        for change in sent
        if _TEMPLATE in change.fields
    )
    unknown = [change.path for change, name in named if name != empty and (change.kind, name) not in known]
    if unknown:
        why = f"not read: a sync fails unless the theme has what is named in {listed(unknown)}"
        yield SiteDifference("the templates of its theme", "every name is taken", why)


def stage_named(
    name: str,
    workspace: Workspace,
    mounts: Iterable[str] = (),
    *,
    stop: threading.Event,
    say: Callable[[str], None],
) -> RehearsalStage:
    """Give the stage of this name for the site of a workspace; `mounts` are the values of `--mount`.

    :raises ConfigError: a mount is not a folder of its kind.
    """
    if name == EmbeddedStage.name:
        return EmbeddedStage(workspace)
    from pressync.stage.rehearse.playground import Mounts  # noqa: PLC0415 - few rehearsals run WordPress
    from pressync.stage.rehearse.wordpress_stage import WordPressStage  # noqa: PLC0415

    return WordPressStage(workspace, Mounts.of(mounts), stop=stop, say=say)


_UNREAD = "what the manifest says"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rehearsal:
    """The account of a rehearsal.

    `address` is where a person looks at the stage, and `home` is that of the site's pages, with which links
    in `result` begin. `pages` are those of the stage, and `manifest` names their records. `refusals` are
    those with which a sync of this commit ends before it begins, although the commit was rehearsed.
    `site_read` tells whether the site answered; `differs` has the parts that could not be read. `planned` is
    the plan beside the site itself; None if the stage is a copy of an embedded service.
    """

    site: str
    stage: str
    address: str
    home: str
    result: RunResult
    links: CheckedLinks
    pages: RenderedSite
    manifest: Manifest
    differs: tuple[SiteDifference, ...]
    site_read: bool
    planned: PlannedRun | None = None
    refusals: tuple[Refusal, ...] = ()

    @property
    def on_stage(self) -> RunResult:
        """The result with the stage's addresses for new records: the stage chose their ids."""
        outcomes = tuple(map(self._on_stage, self.result.outcomes))
        return replace(self.result, outcomes=outcomes)

    def _on_stage(self, outcome: Outcome) -> Outcome:
        change, entry = outcome.change, outcome.entry
        if not isinstance(change, Create) or entry is None or not entry.link.startswith(f"{self.home}/"):
            return outcome
        link = self.address + entry.link.removeprefix(f"{self.home}/")
        return replace(outcome, entry=structs.replace(entry, link=link))

    @property
    def counts(self) -> dict[str, int]:
        """Count the changes by how they ended, and by what they did."""
        outcomes = self.result.outcomes
        done = Counter(type(outcome.change) for outcome in outcomes if outcome.result is Result.DONE)
        ended = {Result.FAILED, Result.SKIPPED, Result.UNCONFIRMED}
        return {
            "made": done[Create],
            "changed": done[Update],
            "deleted": done[Delete],
            "blocked": sum(outcome.result is Result.BLOCKED for outcome in outcomes),
            "failed": sum(outcome.result in ended for outcome in outcomes),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class RehearsalRun:
    """All that one rehearsal needs. Without a `reader`, the site is not read."""

    workspace: Workspace
    stage: RehearsalStage
    reader: SiteReader | None
    revision: Revision
    plan_options: PlanOptions = field(default_factory=PlanOptions)
    options: RunOptions = field(default_factory=RunOptions)
    keep_going: bool = False
    stop: threading.Event
    listener: RunListener
    progress: Progress | None = None
    # It hears of the plan that runs on the stage, and agrees: nobody is asked.
    expect: Callable[[Plan], bool] = lambda _plan: True

    @contextmanager
    def rehearsed(self, directory: Path) -> Iterator[Rehearsal]:
        """Rehearse in a directory of its own; the stage answers until the block ends.

        :raises ContentError: content has problems, as in a sync.
        :raises SafetyRefusal: a limit refuses the plan, as in a sync.
        :raises ConfigError: something that the stage needs is missing.
        """
        workspace = self.workspace
        refusals = other_branch(self.revision, workspace.repository, workspace.settings.site)
        live, planned = site_of(workspace, self.revision, self.plan_options, self._read, self.progress)
        with self.stage.running(directory, live) as running:
            staged = on_stage(workspace, running, directory)
            running.bring(staged)
            result = staged.sync(
                self.revision,
                self.plan_options,
                self.options,
                Approval(self.expect, keep_going=self.keep_going),
                stop=self.stop,
                listener=self.listener,
                progress=self.progress,
            )
            if result is None:
                raise AssertionError("nobody can refuse the plan of a rehearsal")
            pages = running.rendered()
            with staged.reading() as state:
                manifest = state.manifest
            yield Rehearsal(
                site=workspace.settings.site.name,
                stage=self.stage.name,
                address=f"{running.address}/",
                home=running.home,
                result=result,
                links=self._links(staged, pages, manifest),
                pages=pages,
                manifest=manifest,
                differs=(
                    *running.differences(),
                    *(SiteDifference(part.what, _UNREAD, f"not read: {part.why}") for part in live.unread),
                    *self._not_read(result, live),
                ),
                planned=planned,
                site_read=live.was_read or workspace.settings.site.url is None,
                refusals=(*refusals, *self._of_site(notes.without_person(result.plan), live)),
            )

    def _of_site(self, plan: Plan, live: LiveSite) -> tuple[Refusal, ...]:
        """Add the refusals of the site alone: the stage tells nobody of posts, and it plays the schema."""
        settings, schema = self.workspace.settings, live.schema
        notify = self.plan_options.notify or settings.site.notify
        quiet = notes.keep_quiet(plan, lambda: live.post_fields, notify=notify)
        if schema is None:
            return quiet.refusals
        used = schema_changes.kinds_used(settings, plan.pending)
        with self.workspace.reading() as state:
            sent, say = state.manifest.entries.values(), self.listener.say
            wrong = schema_changes.contradictions(quiet, used, settings, lambda _: schema, sent, say)
            return schema_changes.refused(quiet, wrong, settings).refusals

    def _not_read(self, result: RunResult, live: LiveSite) -> Iterator[SiteDifference]:
        if live.was_read and result.counts["kept"]:
            why = "not read: `pressync plan --drift` compares them"
            yield SiteDifference("records that are up to date", "as last synced", why)
        # WordPress as the stage refuses a template itself.
        if self.workspace.settings.site.url is not None and self.stage.name == "embedded":
            yield from unread_templates(result.plan.changes, live)

    def _read(self, planned: PlannedRun, state: State) -> LiveSite:
        # A plan that a sync refuses is not worth a request.
        Approval(lambda _plan: True, keep_going=self.keep_going).check(planned.plan)
        if self.reader is None:
            return LiveSite(unread=(Unread("site", "there is nothing to read it with"),))
        return self.reader.read(planned, state)

    def _links(self, staged: Workspace, pages: RenderedSite, manifest: Manifest) -> CheckedLinks:
        if self.stop.is_set():
            return CheckedLinks()
        content = staged.content(self.revision, manifest=manifest)
        check = LinkCheck(pages, content, manifest.entries)
        if self.reader:
            check = replace(check, answering=partial(self.reader.answering, home=check.site.address))
        return check.run()
