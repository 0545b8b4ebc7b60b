"""The account of a rehearsal as text."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.support.plan_samples import HOSTILE, RUN

from pressync.app.rehearse.links import CheckedLinks, DeadLink
from pressync.app.rehearse.rehearse import Rehearsal
from pressync.app.rehearse.stage import SiteDifference
from pressync.cli.report import rehearsal
from pressync.model.changes import Refusal

ACCOUNT = Rehearsal(
    site="production",
    stage="embedded",
    address="http://127.0.0.1:41151/",
    home="https://example.org",
    result=RUN,
    links=CheckedLinks(
        143,
        (
            DeadLink("content/pages/a.md", 6, "../gone.md", "page"),
            DeadLink("content/pages/b.md", 2, "../gone.md", "page"),
            DeadLink("content/pages/b.md", 9, "a.md#nope", "anchor"),
        ),
    ),
    differs=(
        SiteDifference("version", "the embedded service", "6.8"),
        SiteDifference("users", "what the manifest says", "not read: 403"),
    ),
    site_read=False,
    refusals=(Refusal("other_branch", "this is not main"),),
)


def test_it_is_to_the_letter() -> None:
    lines = rehearsal.text(ACCOUNT).splitlines()
    assert lines[0] == (
        f"Rehearsal of site production at commit {RUN.plan.commit[:10]} on the stage 'embedded' "
        "(http://127.0.0.1:41151/)"
    )
    assert lines[-6:] == [
        "dead link: content/pages/a.md:6: no page at `../gone.md`; also content/pages/b.md:2",
        "dead link: content/pages/b.md:9: no such place in the page: `a.md#nope`",
        "The site differs: version is 6.8 there, and the embedded service on the stage.",
        "Not read of the site: users (403).",
        "A sync would refuse: this is not main",
        rehearsal.summary(ACCOUNT),
    ]
    numbers = "1 made, 1 changed, 1 blocked, 1 failed, 2 up to date"
    assert rehearsal.summary(ACCOUNT) == f"A sync would end so: {numbers}. 143 links checked, 3 dead."


def test_a_text_that_this_clone_lacks_is_named() -> None:
    differs = (SiteDifference("the text of a.md and 3 more", "empty", ""),)
    assert rehearsal.text(replace(ACCOUNT, differs=differs)).splitlines()[-3] == (
        "The site differs: the text of a.md and 3 more is not in this clone, and empty on the stage."
    )


def test_thousands_of_dead_targets_are_counted() -> None:
    dead = tuple(DeadLink("a.md", n, f"/{n}/", "page") for n in range(1, 2001))
    text = rehearsal.text(replace(ACCOUNT, links=CheckedLinks(2000, dead)))
    assert text.count("dead link: ") == 50
    assert "… and 1950 more dead targets; `--format json` lists all of them." in text


@pytest.mark.parametrize("kind", ["page", "file", "picture", "media", "anchor", "hidden"])
def test_texts_from_outside_stay_on_their_line(kind: str) -> None:
    account = replace(
        ACCOUNT,
        links=CheckedLinks(1, (DeadLink("a.md", 1, HOSTILE, kind),)),
        differs=(
            SiteDifference("theme", "its own", HOSTILE),
            SiteDifference(HOSTILE, "x", f"not read: {HOSTILE}"),
        ),
    )
    before = rehearsal.text(replace(ACCOUNT, links=CheckedLinks(1, (DeadLink("a.md", 1, "x", kind),))))
    text = rehearsal.text(account)
    assert len(text.split("\n")) == len(before.split("\n"))
    assert all(line.isprintable() for line in text.split("\n"))
