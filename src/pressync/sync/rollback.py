"""One rollback, from its plan to the saved manifest; the caller holds the site's lock throughout.

The table of `undo` decides, and the ordinary engine makes the calls. So the journal and the retries are those
of a sync. The mark is written before the first call: if the rollback is killed, no sync does the run again
before a person has decided.
"""

from __future__ import annotations

import re
from contextlib import AbstractContextManager, ExitStack, suppress
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import TYPE_CHECKING

from msgspec.structs import replace as replaced

from pressync.model.changes import Blocked, Change, Delete, Outcome, Plan, Result, Update
from pressync.model.errors import PressyncError
from pressync.model.fingerprint import fingerprint
from pressync.model.printable import counted, listed
from pressync.model.reason import Reason, ReasonCode
from pressync.model.records import Document, Name, NoUser, Prepared, RolledBack
from pressync.plan import notes
from pressync.plan.build import PlanOptions, build_plan
from pressync.plan.survey import NO_FINDINGS, known
from pressync.state.journal_lines import Marked
from pressync.sync import drift, prerequisites
from pressync.sync.apply import ApplyLoop, RunOptions
from pressync.sync.claim import holding_claim
from pressync.sync.jobs import SentDocuments
from pressync.sync.run import run_result
from pressync.sync.run_recording import RunRecording, finish_killed
from pressync.sync.site_look import lacks, permissions, typed
from pressync.sync.unconfirmed import settle_unconfirmed
from pressync.sync.undo import Undo, as_before, edited_since
from pressync.sync.undo_plan import Undoing, UndoPlanner
from pressync.sync.vanished import OpenSite

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping

    from pressync.client.dialects import Capabilities
    from pressync.client.port import Reads, Service
    from pressync.content.content import Content
    from pressync.model.outcomes import RunResult
    from pressync.model.records import Value
    from pressync.plan.limits import DeleteLimit
    from pressync.state.clone_facts import RunRecord, RunRecords
    from pressync.state.state import State
    from pressync.sync.control import Approval, RunControl
    from pressync.sync.prerequisites import FileUploads


# How many commits are tried, to find the files of before a run.
_LOOKED_AT = 12
_GOOD = frozenset({Result.DONE, Result.KEPT})


@dataclass(frozen=True, kw_only=True)
class RollbackRun:
    """All that one rollback needs; the manifest has the `mark` until the `content`, that of HEAD, differs.

    `paths` are patterns for Git of the files that decide what is sent. With `notify`, the site may tell
    people of the posts that come back.
    """

    content: Content
    state: State
    capabilities: Capabilities
    service: Callable[[], AbstractContextManager[Service]]
    record: RunRecord
    records: RunRecords
    recording: RunRecording
    mark: RolledBack
    paths: Collection[str]
    delete_limit: DeleteLimit
    options: RunOptions
    approval: Approval
    control: RunControl
    on_outcome: Callable[[Outcome], None]
    notify: bool = False

    def execute(self) -> RunResult | None:
        """Plan, get approval, undo, save the manifest; None if the approval was not given.

        :raises SafetyRefusal: a limit; nothing was sent.
        :raises Overtaken: another machine was first; nothing was sent.
        """
        finish_killed(self.records, self.state)
        record = self.records.read(self.record.run) or self.record
        with ExitStack() as opened:
            connect = cache(lambda: opened.enter_context(self.service()))
            undoing = self._plan(record)
            self.approval.check(undoing.plan)
            # A missing password ends it before other machines are told of it.
            service = connect()
            opened.enter_context(self._claimed(undoing.plan, record.run, service))
            if self.capabilities.read:
                reads, settings = self.control.reads(service), self.content.settings
                plan = undoing.plan
                there = OpenSite(reads, None, self.state, self.control.say)
                self.approval.check(typed(plan, plan.pending, settings, settings.site.url, there))
                self._expect_rights(reads, plan)
                settle_unconfirmed(reads, self.state, wait=self.control.wait, say=self.control.say)
                looked = self.control.recent_reads.now()
                undoing = self._plan(record, reads)
                self.control.recent_reads.saw(undoing.plan, looked)
                undoing = self._told(undoing, reads)
                self.approval.check(undoing.plan)
            if undoing.plan.pending and not self.approval.agree(undoing.plan):
                return None
            finished = False
            try:
                outcomes = self._send(connect, undoing) if undoing.undos else []
                result = run_result(undoing.plan, outcomes, {})
                # Before the record of this rollback: a finished one is not planned again.
                is_needed = self._mark_since(undoing, record)
                finished = all(outcome.result in _GOOD for outcome in result.outcomes)
            finally:
                self.recording.end(finished=finished)
            if not is_needed:
                self.state.write(Marked(None))
        return replace(result, run=self.recording.run, seconds=self.control.seconds)

    def _claimed(self, plan: Plan, run: str, service: Service) -> AbstractContextManager[object]:
        about, control = f"Rollback of run {run}", self.control
        is_read = self.capabilities.read
        prove = partial(self._prove_account, control.reads(service), plan) if is_read else None
        return holding_claim(self.state, plan, control, lambda: about, prove=prove)

    def _prove_account(self, reads: Reads, plan: Plan) -> None:
        # The note of this clone may be of a password that is no longer valid.
        self.state.log.note_rights(self.content.settings.site.user or "", reads.rights())
        self._expect_rights(reads, plan)

    def _expect_rights(self, reads: Reads, plan: Plan) -> None:
        site = self.content.settings.site
        may = permissions(reads, plan, self.state, site.user, NO_FINDINGS.held)
        lacks(may, plan, site=site.name, user=site.user, all_of_it=True)

    def _mark_since(self, undoing: Undoing, record: RunRecord) -> bool:
        """Tell whether a sync would do it again; if so, the mark gets the commit with the files of before."""
        mark = self.state.whole.rolled_back
        before = {row.before.path for row in record.touched if row.before}
        touched = frozenset(before | {row.path for row in record.touched})
        if mark is None or not any(change.path in touched for change in self._sent_by_sync()):
            return mark is None
        self.state.write(Marked(replaced(mark, since=self._since(undoing, record, touched))))
        return True

    def _since(self, undoing: Undoing, record: RunRecord, touched: frozenset[str]) -> str:
        """Find the newest commit before the run whose sync would send nothing; "" if none is found.

        With `--limit`, an earlier run may have sent a part of the same commit, which the older files lack. A
        sync of a commit in which a file of the run is wrong sends nothing either.
        """
        history = self.content.repository.history
        for commit in history.changing(record.commit, *self.paths, limit=_LOOKED_AT, patterns=True)[1:]:
            # A commit that cannot be read must not end a rollback that is done.
            with suppress(PressyncError):
                content = undoing.texts.content(commit)
                if not content.sources or (plan := self._compared(content)).pending:
                    continue
                if touched.isdisjoint(change.path for change in plan.changes if isinstance(change, Blocked)):
                    return commit
        return ""

    def _sent_by_sync(self) -> Iterator[Change]:
        """Give the changes of a sync; until this run has ended, its text looks like one of another clone."""
        plan = self._compared(self.content)
        yield from plan.pending
        for change in plan.changes:
            if isinstance(change, Blocked) and change.why.code is ReasonCode.PULLED_ELSEWHERE:
                yield change

    def _compared(self, content: Content) -> Plan:
        return build_plan(content, self.capabilities, known(self.state), PlanOptions(allow_rewind=True)).plan

    def _plan(self, record: RunRecord, reads: Reads | None = None) -> Undoing:
        return UndoPlanner(self.content, self.state, record, self.records).plan(self.delete_limit, reads)

    def _told(self, undoing: Undoing, reads: Reads) -> Undoing:
        """Add to the plan whom the site would tell of its posts, and what it will not take back."""
        run = self.record.run
        quiet = notes.keep_quiet(undoing.plan, reads.post_fields, notify=self.notify, undoes=run)
        quiet = replace(quiet, remarks=(*quiet.remarks, *warned_of_filter(undoing.undos, reads)))
        return replace(undoing, planned=replace(undoing.planned, plan=quiet))

    def _send(self, connect: Callable[[], Service], undoing: Undoing) -> list[Outcome]:
        self.recording.begin(undoing.planned, None)
        self.state.write(Marked(self.mark))
        before = self.state.manifest.entries
        if back := [e for path, e in undoing.planned.entries.items() if before.get(path) != e]:
            self.state.put(*back)
        for path, undo in undoing.undos.items():
            if undo.change is None and undo.entry is None:
                self.state.drop(path)
        if not undoing.plan.pending:
            return []
        service = connect()
        uploads, files = self._prerequisites(service, undoing)
        refused = uploads.refused if uploads else {}
        outcomes = ApplyLoop(
            undoing.planned.schedule,
            SentDocuments(
                commit=undoing.plan.commit,
                prepare=lambda change, _entries: _prepared(undoing, change.path, refused),
                basis=lambda _entry, _entries: "",
                uploads=uploads,
                files=files,
                quiet=undoing.plan.quiet,
            ),
            service=service,
            state=self.state,
            options=self.options,
            control=self.control,
            on_outcome=self.on_outcome,
        ).run()
        return [self._finished(outcome, undoing.undos[outcome.change.path]) for outcome in outcomes]

    def _prerequisites(
        self, service: Service, undoing: Undoing
    ) -> tuple[FileUploads | None, dict[str, frozenset[str]]]:
        """Make the terms that the texts of before need, and prepare the uploads of missing files."""
        library = self.control.library(service)
        if library is None:
            return None, {}
        documents: dict[Content, list[Update]] = {}
        for change in undoing.plan.pending:
            if isinstance(change, Update) and (content := undoing.texts.content_of(change.path)):
                documents.setdefault(content, []).append(change)
        for content, changes in documents.items():
            prerequisites.look_up_files(library, self.state, content.references.files_of(changes))
        return prerequisites.make(library, self.state, self.content.repository, documents, self.control)

    def _finished(self, outcome: Outcome, done: Undo) -> Outcome:
        """Give the manifest the entry of before, with what the response says of the record's address."""
        path = outcome.change.path
        if isinstance(outcome.change, Blocked):
            why = edited_since(outcome.change.fields)
            return replace(outcome, change=replace(outcome.change, why=why), message=str(why), why=why)
        settled = self.state.manifest.entries.get(path)
        if isinstance(outcome.change, Delete) or settled is None:
            return outcome
        if outcome.result is Result.FAILED and drift.is_trashed(settled):
            self.state.drop(path)
            return replace(outcome, message="the service left it in the trash")
        if outcome.result not in {Result.DONE, Result.KEPT}:
            return outcome
        if done.entry is None:
            self.state.drop(path)
            return outcome
        entry = as_before(done.entry, settled, done.values)
        self.state.put(entry)
        return replace(outcome, entry=entry)


def _prepared(undoing: Undoing, path: str, refused: Mapping[Name | str, str | NoUser]) -> Prepared:
    """Prepare what an update sends: the document of before, with the values that were not ours."""
    done = undoing.undos[path]
    if not isinstance(done.change, Update):
        raise TypeError("only an update sends a document")
    desired = done.change.desired
    if not done.from_file:
        return Prepared(Document(path, "", desired.kind, {}, "", 0), desired, done.values, done.stored)
    text = undoing.texts.prepare(path, undoing.then, refused, done.change.fields)
    names = {name: fingerprint(value) for name, value in done.values.items()}
    sent = replaced(text.desired, fingerprints={**text.desired.fingerprints, **names})
    return replaced(text, desired=sent, fields={**text.fields, **done.values}, stored=done.stored)


# The elements that WordPress 6.1 leaves in a title and a comment (`$allowedtags` in wp-includes/kses.php).
_OF_TITLES = frozenset(
    {
        *("a", "abbr", "acronym", "b", "blockquote", "cite", "code", "del", "em", "i", "q", "s", "strike"),
        "strong",
    }
)
# The same of a text and an excerpt (`$allowedposttags`). 6.8 has the same, and 7.1 leaves seven more.
_OF_TEXTS = _OF_TITLES | frozenset(
    {
        *("address", "area", "article", "aside", "audio", "bdo", "big", "br", "button", "caption", "col"),
        *("colgroup", "dd", "details", "dfn", "div", "dl", "dt", "fieldset", "figcaption", "figure", "font"),
        *("footer", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hgroup", "hr", "img", "ins", "kbd"),
        *("label", "legend", "li", "main", "map", "mark", "menu", "nav", "object", "ol", "p", "pre", "rb"),
        *("rp", "rt", "rtc", "ruby", "samp", "section", "small", "span", "sub", "summary", "sup", "table"),
        *("tbody", "td", "textarea", "tfoot", "th", "thead", "title", "tr", "track", "tt", "u", "ul", "var"),
        "video",
    }
)
_ALLOWED = {"title": _OF_TITLES, "content": _OF_TEXTS, "excerpt": _OF_TEXTS}
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_TAG = re.compile(r"</?([a-z][\w:-]*)([^<>]*)>", re.IGNORECASE)
_ACTIVE = re.compile(r"[\s/'\"]on\w+\s*=|=\s*['\"]?\s*javascript:", re.IGNORECASE)
# PHP's `trim` takes these characters.
_TRIMMED = " \t\n\r\0\x0b"


def warned_of_filter(undos: Mapping[str, Undo], reads: Reads) -> tuple[Reason, ...]:
    """Give the remark on the former values that the site filters or trims; the site is asked only if needed.

    :raises ServiceError: the site cannot be read.
    """
    former = [(path, name, value) for path, item in undos.items() for name, value in _former(item)]
    trimmed = tuple(
        path for path, name, value in former if name == "title" and value.strip(_TRIMMED) != value
    )
    filtered = tuple(f"{path} ({name})" for path, name, value in former if is_taken(name, value))
    if filtered and not reads.is_filtered():
        filtered = ()
    if not (filtered or trimmed):
        return ()
    parts = []
    if filtered:
        values = f"{counted(len(filtered), 'value')} with markup"
        parts.append(f"{values} that it filters, because this user lacks unfiltered_html: {listed(filtered)}")
    if trimmed:
        titles = counted(len(trimmed), "title")
        parts.append(f"{titles} with blanks at the ends, which it trims: {listed(trimmed)}")
    said = f"The site will not take everything back as it was: {'; '.join(parts)}."
    return (Reason(ReasonCode.WILL_BE_FILTERED, {"filtered": filtered, "trimmed": trimmed}, said),)


def is_taken(field: str, value: str) -> bool:
    """Tell whether the filter of WordPress takes something out of a value that readers may see."""
    allowed = _ALLOWED.get(field)
    if allowed is None:
        return False
    tags = _TAG.findall(_COMMENT.sub("", value))
    return any(name.lower() not in allowed or _ACTIVE.search(rest) for name, rest in tags)


def _former(undo: Undo) -> Iterator[tuple[str, str]]:
    """Give the texts of others that an undo sends."""
    if not isinstance(undo.change, Update):
        return
    values: dict[str, Value] = {**undo.values, **undo.stored}
    for name in values.keys() & set(undo.change.fields):
        value = values[name]
        if isinstance(value, str):
            yield name, value
