"""Says what people should know of a plan beside its changes: problems of its documents, and remarks. Pure.

Nothing brings an overwritten edit or an emptied page back, and nobody can take an e-mail back. A site shows
a plug-in that mails subscribers only by the custom fields that it registers for posts. WordPress stores a
custom field after `transition_post_status` and before `wp_after_insert_post` (measured on 6.1, 6.8 and 7.1).
So one request is enough for a plug-in that decides at the later of the two.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from itertools import chain
from operator import attrgetter
from shlex import quote
from typing import TYPE_CHECKING
from unicodedata import normalize

from pressync.content import rules, sources
from pressync.content.basis import FORMER, marked
from pressync.content.references import NO_AUTHOR_TODO
from pressync.model.changes import Blocked, Change, Create, Delete, Keep, Plan, Refusal, Update, desired_of
from pressync.model.errors import Code, Problem
from pressync.model.fingerprint import fingerprint, from_text, may_be
from pressync.model.interface import TREE_KIND, Kind
from pressync.model.printable import counted, listed
from pressync.model.reason import Reason, ReasonCode
from pressync.model.visibility import PUBLISH, is_older, is_thrown_away, is_wanted, of_desired, of_entry
from pressync.plan import history, known_elsewhere, limits
from pressync.plan.decide import replaces_markup
from pressync.plan.situations import KnownDocument
from pressync.repo.paths import concerns

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from pressync.client.dialects import Capabilities
    from pressync.content.content import Content
    from pressync.model.records import Desired, Entry, Medium
    from pressync.plan.survey import Known, Survey, Surveyor


# Two records with the same of these want the same address.
_ADDRESS = attrgetter("kind", "parent_path", "slug")
_NOTHING = fingerprint("")
# A sentence names at most this many records, and counts the others. The plan itself lists all of them.
_NAMED = 20
# A run that publishes more posts than this is an import or a repair. Its posts are not news.
MOST = 3
# A post with an older date, in days, is not news either.
DAYS = 7
CODE = "would_tell"
_TYPES = {bool: "boolean", str: "string"}


def problems(
    surveyor: Surveyor, survey: Survey, changes: list[Change], paths: Collection[str], *, strict: bool
) -> list[Problem]:
    """Give the problems of single files, and those that only all files together show.

    If `paths` are chosen, a warning of another path is not told.
    """
    content, settings = surveyor.content, surveyor.content.settings
    new = [change.path for change in changes if isinstance(change, Create) and change.kind.row.hierarchical]
    # The address of a record that is deleted is free: the delete goes first.
    deleted = {change.path for change in changes if isinstance(change, Delete)}
    staying = {path: entry for path, entry in survey.entries.items() if path not in deleted}
    every = chain(
        _once(surveyor.problems),
        same_address(desired_of(changes), staying),
        authors_without_user(content, changes),
        front_pages(changes),
        emptied(changes, surveyor.problems, strict=strict),
        sources.folders_without_page(new, content.sources, settings.content, settings.types),
    )
    shared = {"content": settings.content, "templates": settings.templates}
    return [problem for problem in every if not problem.warning or concerns(problem.path, paths, **shared)]


def remarks(
    content: Content,
    capabilities: Capabilities,
    known: Known,
    survey: Survey,
    changes: list[Change],
    *,
    later: int,
    notify: bool,
) -> tuple[Reason, ...]:
    """Give the remarks about a plan as a whole; `later` and `notify` are as in `hushed` and `keep_quiet`."""
    site = content.settings.site
    documents: list[Desired | Entry] = [
        page.desired for page in survey.situations if isinstance(page, KnownDocument)
    ]
    # The embedded service has no subscribers.
    quiet = not (notify or site.notify or site.url is None)
    return (
        *_remarks(ReasonCode.NO_DOCUMENT, _no_document(content, survey)),
        *_remarks(ReasonCode.NEEDS, needs(content, survey.entries, changes)),
        *_look_up(changes, capabilities, known, hushed(changes, later) if quiet else ()),
        *_remarks(ReasonCode.OVERWRITES, overwritten_edits(changes)),
        *_remarks(ReasonCode.FORMULAS, _formulas(content, changes)),
        *former_remarks(marked([(page.path, page.basis) for page in [*documents, *survey.unread]])),
        *_remarks(ReasonCode.COME_BACK, known_elsewhere.returned(changes, known.runs)),
        *history.resolved_notes(content.repository.history, changes, content.tree.commit, capabilities),
        *_remarks(ReasonCode.SENT_AGAIN, known_elsewhere.sent_again(content, changes, known.rolled_back)),
    )


def _remarks(code: ReasonCode, sentences: Iterable[str]) -> list[Reason]:
    return [Reason(code, sentence=sentence) for sentence in sentences]


def _once(problems: Iterable[Problem]) -> list[Problem]:
    """Merge the problems of one template: one problem, whatever the number of pages that show it."""
    alike: dict[Problem, list[Problem]] = {}
    for problem in problems:
        text = problem.what.removesuffix(f" (rendering {problem.rendering})")
        alike.setdefault(problem._replace(what=text, rendering=""), []).append(problem)
    merged = []
    for problem, (first, *others) in alike.items():
        of_all = f"{problem.what} (rendering {first.rendering} and {len(others)} more)"
        merged.append(first._replace(what=of_all) if first.rendering and others else first)
    return merged


def _formulas(content: Content, changes: Iterable[Change]) -> Iterator[str]:
    """Say which sites drop the elements of MathML; measured on 6.1, 6.8 and 7.1."""
    if content.settings.markdown.math and content.settings.site.url is not None:
        paths = {change.path for change in changes if isinstance(change, Create | Update)}
        if count := len(paths & content.renderer.with_formulas):
            pages = "1 document has" if count == 1 else f"{count} documents have"
            yield (
                f"{pages} formulas. WordPress 6.8 and older shows their bare letters if the user may not "
                "write all HTML, as an author may not; 7.1 shows them as they are."
            )


def former_remarks(marked_paths: Mapping[str, Sequence[str]]) -> Iterator[Reason]:
    """Name the records that keep what a former version made until their files change.

    `marked_paths` are theirs, by the mark in their basis.
    """
    if paths := marked_paths.get(FORMER):
        pages = "1 page keeps" if len(paths) == 1 else f"{len(paths):,} pages keep"
        said = (
            f"{pages} the form of a former version until the file changes. The form of this version shows "
            "pictures, tables and listings right on small screens: `pressync sync --renew` sends it."
        )
        yield Reason(ReasonCode.FORMER_FORM, sentence=said)
    for rule, change in rules.CHANGES.items():
        if paths := marked_paths.get(change.mark):
            keep = "record keeps" if len(paths) == 1 else "records keep"
            beginning = f"{len(paths)} {keep} what was before {rules.named([rule])}"
            said = f"{beginning}. A change of the file takes it over: {listed(paths)}."
            yield Reason(ReasonCode.KEPT_RULE, {"rule": rule.value, "paths": tuple(paths)}, said)


def _no_document(content: Content, survey: Survey) -> tuple[str, ...]:
    """Say why a plan is empty, if there is no document and no record."""
    if survey.situations or survey.entries:
        return ()
    folder = f"{content.settings.content}/".lstrip("/")
    if survey.documents:
        many = survey.documents > 1
        count = f"Of the {survey.documents} Markdown files" if many else "The one Markdown file"
        none = "none is a page or a post" if many else "is neither a page nor a post"
        where = f"{count} {f'below {folder}' if folder else 'in the commit'} {none}"
        folders = " or ".join(f"{folder}{own}/" for own in content.settings.types.folders)
        todo = f"move {'them' if many else 'it'} below {folders}"
        return (f'{where}: {todo}, or put `type = "page"` below `[defaults]` in pressync.toml.',)
    if content.tree.is_other(content.settings.content):
        problem = f"{content.settings.content} is a submodule or a symbolic link"
        return (f"{problem}, and its files are in another repository: run pressync in that one.",)
    where = f"There is no document in commit {content.tree.commit[:10]}"
    folder += TREE_KIND.row.folder
    return (f"{where}: commit Markdown below {folder}/, or set `content` in pressync.toml.",)


def _look_up(
    changes: Sequence[Change], capabilities: Capabilities, known: Known, posts: Collection[str]
) -> tuple[Reason, ...]:
    """Say what a sync looks up, if it can and nobody has looked yet; `posts` are not news."""
    creates = sum(isinstance(change, Create) for change in changes)
    if not creates or not capabilities.read or known.findings.taken is not None:
        return ()
    addresses = "address of the new document" if creates == 1 else f"addresses of {creates} new documents"
    looks = [f"the {addresses} on the site"]
    if posts:
        looks.append(f"whether it would tell subscribers of {counted(len(posts), 'post')}")
    said = f"A sync first looks up {' and '.join(looks)}; `pressync plan --drift` looks now."
    return (Reason(ReasonCode.LOOKS_UP, {"creates": creates, "posts": len(posts)}, said),)


def same_address(desired: Iterable[Desired], entries: Mapping[str, Entry]) -> list[Problem]:
    """Warn of documents with the same slug and parent: the service changes the slug of all but one."""
    wanted: dict[tuple[Kind, str | None, str], list[str]] = defaultdict(list)
    groups = {}
    paths = set()
    for document in desired:
        paths.add(document.path)
        kind, parent, slug = _ADDRESS(document)
        # A letter with an accent may be one sign or two.
        spelled = slug if slug.isascii() else normalize("NFC", slug)
        groups[kind, parent, slug] = group = wanted[kind, parent, spelled]
        group.append(document.path)
    for entry in entries.values() if wanted else ():
        if entry.path not in paths and (key := _ADDRESS(entry)) in groups:
            groups[key].append(entry.path)
    problems = []
    for group in wanted.values():
        if len(group) > 1:
            # On other systems two paths may be one file. They may look the same here.
            one, other = (normalize("NFC", path).casefold() for path in group[:2])
            also = " (and on macOS and Windows both are one file)" if one == other else ""
            problem = f"it wants the same address as {', '.join(group[1:3])}{also}"
            todo = "give one of them another `slug:`, or the service will add a number"
            problems.append(Problem(group[0], 0, problem, todo, warning=True, code=Code.SAME_ADDRESS))
    return problems


def emptied(changes: Iterable[Change], noted: Collection[Problem], *, strict: bool) -> Iterator[Problem]:
    """Warn of the updates that empty a record; the files of the `noted` problems were warned of already."""
    warned = {problem.path for problem in noted if problem.code is Code.NO_TEXT}
    for change in changes:
        if not isinstance(change, Update) or change.path in warned or "content" not in change.fields:
            continue
        had = may_be(change.entry.fingerprints.get("content", _NOTHING)) or {_NOTHING}
        if change.desired.fingerprints.get("content") == _NOTHING and _NOTHING not in had:
            problem = f"the file has no text any more, and a sync empties {change.kind} {change.id}"
            todo = "bring the text back with Git, or remove the file to take the page off the site"
            yield Problem(change.path, 0, problem, todo, warning=not strict, code=Code.NO_TEXT)


def front_pages(changes: Iterable[Change]) -> list[Problem]:
    """Give a problem for each document but the first that wants to be the front page."""
    wanted = [
        (change.path, change.entry if isinstance(change, Keep) else change.desired)
        for change in changes
        if isinstance(change, Create | Update | Keep)
    ]
    first, *others = sorted(path for path, fields in wanted if is_wanted(fields.fingerprints)) or [""]
    problem, todo = f"{first} is the front page already, and a site has one", "take it back in one of the two"
    return [Problem(path, 0, problem, todo, code=Code.FRONT_PAGE) for path in others]


def overwritten_edits(changes: Iterable[Change]) -> list[str]:
    """Name the records whose edits a plan overwrites, and count them; nothing if there are none."""
    edited = [change.path for change in changes if _overwrites(change)]
    if not edited:
        return []
    count = counted(len(edited), "record")
    return [f"Edits on the site are overwritten in {count}: {listed(edited, _NAMED)}."]


def replaced_markup(plan: Plan) -> list[str]:
    """Name the pages whose text was not written by pressync, and is replaced; nothing if there are none."""
    paths = [change.path for change in plan.pending if replaces_markup(change)]
    if not paths:
        return []
    count = counted(len(paths), "page")
    said = [f"The markup of {count} is replaced as a whole: {listed(paths, _NAMED)}."]
    unknown = len(paths) - len(plan.markup)
    return said + [f"The site's own text of {counted(unknown, 'page')} is not known here."] * bool(unknown)


def deleted_for_good(changes: Iterable[Change]) -> list[Reason]:
    """Name the records that a sync without the trash deletes, with their addresses."""
    gone = [change for change in changes if isinstance(change, Delete)]
    if not gone:
        return []
    addresses = [f"{change.path} ({change.address})" for change in gone]
    text = f"{counted(len(gone), 'record is', 'records are')} deleted for good, and nothing brings them back"
    said = f"{text if gone[1:] else text.replace('them', 'it')}: {listed(addresses, _NAMED)}."
    return [Reason(ReasonCode.FOR_GOOD, {"paths": tuple(change.path for change in gone)}, said)]


def _overwrites(change: Change) -> bool:
    match change:
        case Delete(entry=entry):
            return bool(entry.conflict) and not is_thrown_away(entry)
        case Update(desired=desired, entry=entry, fields=fields):
            # A document may have taken the edit in. Then the site has what is sent.
            wanted = {**desired.create_only, **desired.fingerprints, **desired.by_id}
            edits = ((name, text) for name, text in entry.conflict.items() if name in fields)
            kind = desired.kind
            return any(fingerprint(from_text(kind, name, text)) != wanted.get(name) for name, text in edits)
        case _:
            return False


def moved_by_rule(changes: Iterable[Change]) -> list[str]:
    """Give the pages whose address a rule of a version changes."""
    moving = {rule for rule, change in rules.CHANGES.items() if change.moves}
    updates = [change for change in changes if isinstance(change, Update)]
    moved = []
    for update in updates:
        fields = {field for rule in moving & update.desired.ruled for field in rules.CHANGES[rule].fields}
        if not fields.isdisjoint(update.fields):
            moved.append(update.path)
    return moved


def without_person(plan: Plan) -> Plan:
    """Refuse in a plan what waits for a person: a sync that nobody watches ends with that."""
    moved = moved_by_rule(plan.changes)
    refusals = limits.distinct(plan.refusals, [limits.moves_unseen(moved) if moved else None])
    return replace(plan, refusals=refusals) if moved else plan


def needs(content: Content, entries: Mapping[str, Entry], changes: Iterable[Change]) -> tuple[str, ...]:
    """Say what a sync of these changes looks up, creates and uploads, and which media are not used."""
    changes = list(changes)
    names = content.references.names_of(changes)
    authors = [f"'{name.text}'" for name in names if name.field == "author"]
    terms = [f"{name.field} '{name.text}'" for name in names if name.field != "author"]
    files = sorted(content.references.files_of(changes).values())
    sentences = []
    if authors:
        sentences.append(f"A sync looks up these authors among the site's users: {listed(authors)}.")
    if terms:
        sentences.append(f"A sync looks up these terms and creates the missing ones: {listed(terms)}.")
    if files:
        sentences.append(f"A sync uploads these files if the site does not have them: {listed(files)}.")
    idle = []
    for medium in unused_media(content, entries, changes):
        # The file at its path may be another one by now.
        is_replaced = content.tree.files.get(medium.path, medium.blob) != medium.blob
        idle.append(f"{'the former ' if is_replaced else ''}{medium.path} (media {medium.id})")
    if idle:
        # Only a person can tell whether the site shows a file in a place that its interface does not show.
        todo = "delete those that the site does not use in its media library"
        sentence = "No document of this repository uses these uploads any more"
        sentences.append(f"{sentence}: {listed(idle)}; {todo}.")
    return tuple(sentences)


def authors_without_user(content: Content, changes: Iterable[Change]) -> list[Problem]:
    """Warn of authors whom `[authors]` leaves open; only the site knows whether it has a user of their name.

    An import writes the table with a comment for each author, so it may be there without a user. A text with
    a blank that it does not name is a person's name, and a text without one may be a login.
    """
    settings = content.settings
    if settings.origins["authors"] == "default":
        return []
    users = set(map(str, settings.authors.values()))
    why = "`[authors]` does not name it, so a sync stops unless the site has a user of this name"
    problems = [
        Problem(
            desired.path,
            mention.line,
            f"author '{name.text}': {why}",
            f'{NO_AUTHOR_TODO}; the row `"*" = "LOGIN"` there is for all others',
            warning=True,
            alike=f"an author: {why}",
            code=Code.UNKNOWN_AUTHOR,
        )
        for desired in desired_of(changes)
        for mention in desired.mentions
        for name in content.references.names_without_id(mention)
        if name.field == "author" and " " in name.text and name.text not in users
    ]
    return list(dict.fromkeys(problems))


def unused_media(content: Content, entries: Mapping[str, Entry], changes: Iterable[Change]) -> list[Medium]:
    """List the uploaded files that neither an entry nor a pending change refers to.

    A blocked change does not say to which files its document refers, so then none is listed.
    """
    if any(isinstance(change, Blocked) and change.path in content.sources for change in changes):
        return []
    wanted = (desired.links for desired in desired_of(changes))
    return content.references.unused(chain((entry.links for entry in entries.values()), wanted))


@dataclass(frozen=True, slots=True)
class Announcer:
    """A plug-in that tells people of a post: whom, and the value of the custom field that prevents it.

    `signs` are other fields that it registers. They show the plug-in where the field itself is missing.
    """

    plugin: str
    told: str
    field: str
    quiet: bool | str
    signs: tuple[str, ...] = ()


# Each field was read in the source of the plug-in.
ANNOUNCERS = (
    # `should_email_post_to_subscribers` in modules/subscriptions.php reads the field. Sync calls it at
    # `wp_after_insert_post` since 2020 (Automattic/jetpack, pull request 17838). It also mails a post
    # that is old or that comes out of the trash (pull request 51995, which is to change that).
    Announcer(
        "Jetpack",
        "mails subscribers",
        "_jetpack_dont_email_post_to_subs",
        quiet=True,
        signs=("_jetpack_newsletter_access", "jetpack_post_was_ever_published"),
    ),
    # `register_post_meta` in class-publicize-base.php: "Whether or not the Share Post feature is enabled."
    # A server shares the post after the same event of Sync, and its source is not public.
    Announcer(
        "Jetpack Social",
        "shares posts on social networks",
        "jetpack_publicize_feature_enabled",
        quiet=False,
        signs=("jetpack_publicize_message",),
    ),
    # `is_post_disabled` reads the field. scheduler/class-post.php calls it at `wp_after_insert_post` since
    # February 2025 (Automattic/wordpress-activitypub, pull request 1359).
    Announcer(
        "ActivityPub",
        "sends posts to followers in the Fediverse",
        "activitypub_content_visibility",
        quiet="local",
        signs=("activitypub_content_warning",),
    ),
)


def hushed(changes: Iterable[Change], later: int, *, undoes: bool = False) -> tuple[str, ...]:
    """Name the posts that appear and are not news: many, old ones, or those of a rollback.

    `later` is the number of changes that a limit leaves to a later sync: they are a part of the same import.
    """
    # Visitors do not see them now, and see them after the change. The manifest does not know the status of
    # a record that was adopted and never synced. It is usually published already, so it does not count.
    writes = [change for change in changes if isinstance(change, Create | Update) and change.kind.row.dated]
    published = [change for change in writes if of_desired(change.desired).status == PUBLISH]
    there = {
        update.path
        for update in published
        if isinstance(update, Update)
        and ("status" not in update.fields or of_entry(update.entry).status in {"", PUBLISH})
    }
    appearing = {change.path: change.desired.date for change in published if change.path not in there}
    if undoes or (appearing and len(appearing) + later > MOST):
        return tuple(appearing)
    return tuple(path for path, date in appearing.items() if is_older(date, DAYS))


def keep_quiet(
    plan: Plan, fields: Callable[[], Mapping[str, str]], *, notify: bool, undoes: str = ""
) -> Plan:
    """Give the plan with whom the site would tell, and with the custom fields that prevent it.

    `fields` asks the site for the custom fields of posts, with the type of each. It is called only if the
    plan has posts that are not news. A plug-in that cannot be kept quiet refuses the plan. `undoes` is the
    run that a rollback undoes.
    """
    paths = () if notify else hushed(plan.changes, plan.later, undoes=bool(undoes))
    if not paths:
        return plan
    registered, posts = fields(), counted(len(paths), "post")
    telling = [row for row in ANNOUNCERS if not registered.keys().isdisjoint({row.field, *row.signs})]
    quiet = {row.field: row.quiet for row in telling if registered.get(row.field) == _TYPES[type(row.quiet)]}
    said = {row.field: f"{row.told} ({row.plugin})" for row in telling}
    loud = [sentence for field, sentence in said.items() if field not in quiet]
    if loud:
        command = f"pressync rollback {quote(undoes)} --notify" if undoes else "pressync sync --notify"
        refusal = Refusal(
            CODE,
            f"this site {_listed(loud)}, and no custom field prevents it: {posts} would go out; switch the "
            f"plug-in off for this run, or tell them with `{command}`",
        )
        return replace(plan, refusals=(*plan.refusals, refusal))
    if not quiet:
        return plan
    told = _listed([*said.values()])
    sentence = f"This site {told}. It tells nobody of {posts} of this run; `--notify` lets it."
    remark = Reason(ReasonCode.KEPT_QUIET, {"paths": tuple(paths)}, sentence)
    return replace(plan, remarks=(*plan.remarks, remark), quiet=dict.fromkeys(paths, quiet))


def _listed(words: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))
