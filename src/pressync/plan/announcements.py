"""Tells whom a site tells when a post appears, and which custom field of the post prevents it. Pure.

Nobody can take an e-mail back. A site shows such a plug-in only by the custom fields that it registers for
posts. WordPress stores a custom field after `transition_post_status` and before `wp_after_insert_post`
(measured on 6.1, 6.8 and 7.1). So one request is enough for a plug-in that decides at the later of the two.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from shlex import quote
from typing import TYPE_CHECKING

from pressync.model.changes import Create, Refusal, Update
from pressync.model.interface import Kind
from pressync.model.reason import Reason, ReasonCode
from pressync.model.visibility import PUBLISH, is_older, of_desired, of_entry

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from pressync.model.changes import Change, Plan

# A run that publishes more posts than this is an import or a repair. Its posts are not news.
MOST = 3
# A post with an older date, in days, is not news either.
DAYS = 7
CODE = "would_tell"
_TYPES = {bool: "boolean", str: "string"}


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

    @property
    def sentence(self) -> str:
        """Whom the plug-in tells."""
        return f"{self.told} ({self.plugin})"


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
    appearing = {change.path: change.desired.date for change in _appearing(changes)}
    if undoes or (appearing and len(appearing) + later > MOST):
        return tuple(appearing)
    return tuple(path for path, date in appearing.items() if is_older(date, DAYS))


def _appearing(changes: Iterable[Change]) -> list[Create | Update]:
    """Find the posts that visitors do not see now, and see after the change.

    The manifest does not know the status of a record that was adopted and never synced. Such a record is
    usually published already, so it does not count.
    """
    return [
        change
        for change in changes
        if isinstance(change, Create | Update)
        and change.kind is Kind.POST
        and of_desired(change.desired).status == PUBLISH
        and (isinstance(change, Create) or _reappears(change))
    ]


def _reappears(change: Update) -> bool:
    return "status" in change.fields and of_entry(change.entry).status not in {"", PUBLISH}


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
    known = fields()
    telling = [each for each in ANNOUNCERS if not known.keys().isdisjoint({each.field, *each.signs})]
    quiet = {each.field: each.quiet for each in telling if known.get(each.field) == _TYPES[type(each.quiet)]}
    loud = [each.sentence for each in telling if each.field not in quiet]
    if loud:
        command = f"pressync rollback {quote(undoes)} --notify" if undoes else "pressync sync --notify"
        refusal = Refusal(
            CODE,
            f"this site {_listed(loud)}, and no custom field prevents it: {counted(paths)} would go out; "
            f"switch the plug-in off for this run, or tell them with `{command}`",
        )
        return replace(plan, refusals=(*plan.refusals, refusal))
    if not quiet:
        return plan
    told = _listed([each.sentence for each in telling])
    sentence = f"This site {told}. It tells nobody of {counted(paths)} of this run; `--notify` lets it."
    remark = Reason(ReasonCode.KEPT_QUIET, {"paths": tuple(paths)}, sentence)
    return replace(plan, remarks=(*plan.remarks, remark), quiet=dict.fromkeys(paths, quiet))


def notes(plan: Plan) -> list[str]:
    """Give the notes of a plan that `keep_quiet` has written."""
    return [str(each) for each in plan.remarks if each.code is ReasonCode.KEPT_QUIET]


def counted(paths: Collection[str]) -> str:
    """Count posts in words."""
    return "1 post" if len(paths) == 1 else f"{len(paths)} posts"


def _listed(words: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))
