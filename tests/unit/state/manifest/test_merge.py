"""Two manifests become one: nothing is dropped, either order gives the same, and a person is asked last."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs
from tests.support import builders
from tests.support.builders import manifest

from pressync.model.errors import ManifestError
from pressync.model.fingerprint import UNSURE, fingerprint
from pressync.model.interface import Kind
from pressync.model.records import Manifest, Medium, Name, UnconfirmedCreate
from pressync.state.manifest.codec import decode
from pressync.state.manifest.merge import merge

# Two fields are enough here, and short digests can be read.
entry = partial(builders.entry, fingerprints={"title": "t1", "content": "c1"}, commit="c" * 40)
ABOUT = entry("about.md", 12)
TEAM = entry("team.md", 13)
SENT_CREATE = UnconfirmedCreate("new.md", Kind.PAGE, "new", "2024-01-31T12:00:00+00:00", "c", {"title": "t"})
BASE = manifest(ABOUT, TEAM)


def one(ours: Manifest, theirs: Manifest, base: Manifest | None = BASE) -> Manifest:
    """Merge without a clash, in both orders."""
    merged, swapped = merge(base, ours, theirs), merge(base, theirs, ours)
    assert merged == swapped
    assert merged.clashes == ()
    assert decode(merged.text, where="m.json") == merged.manifest
    return merged.manifest


def test_a_record_that_one_side_deleted_and_the_other_wrote_to_is_kept_and_unsure() -> None:
    written = structs.replace(ABOUT, fingerprints={"title": "t2"})
    merged = one(manifest(TEAM), manifest(written, TEAM))
    assert merged.entries["about.md"].id == 12
    assert merged.entries["about.md"].fingerprints == {"title": "?t2"}


def test_different_fields_of_one_record_are_put_together_and_its_file_is_read_again() -> None:
    title = structs.replace(
        ABOUT, fingerprints={"title": "t2", "content": "c1"}, blob="1" * 40, modified="later"
    )
    body = structs.replace(ABOUT, fingerprints={"title": "t1", "content": "c2"}, blob="2" * 40)
    found = one(manifest(title, TEAM), manifest(body, TEAM)).entries["about.md"]
    assert found.fingerprints == {"title": "t2", "content": "c2"}
    assert (found.blob, found.modified) == ("", "later")


def test_what_one_side_took_for_an_edit_of_a_person_and_the_other_had_sent_is_not_an_edit() -> None:
    seen = structs.replace(ABOUT, conflict={"content": "Theirs.", "title": "A person's"})
    sent = structs.replace(ABOUT, fingerprints={"title": "t1", "content": fingerprint("Theirs.")})
    found = one(manifest(seen, TEAM), manifest(sent, TEAM)).entries["about.md"]
    assert found.conflict == {"title": "A person's"}


def test_what_one_side_took_out_of_a_record_is_out_though_the_other_wrote_to_it() -> None:
    base = manifest(structs.replace(ABOUT, parent_path="p.md", changed_by_service={"slug": "b"}))
    out = structs.replace(ABOUT, fingerprints={"content": "c1"})
    written = structs.replace(base.entries["about.md"], fingerprints={"title": "t1", "content": "c2"})
    found = one(manifest(out), manifest(written), base).entries["about.md"]
    assert (found.fingerprints, found.parent_path, found.changed_by_service) == ({"content": "c2"}, None, {})


@pytest.mark.parametrize(
    ("here", "there", "merged"),
    [
        (
            {"title": "t2", "content": "c1"},
            {"title": "t3", "content": "c1"},
            {"title": "?t2,t3", "content": "c1"},
        ),
        # One side names it no longer.
        ({"content": "c1"}, {"title": "t3", "content": "c1"}, {"title": UNSURE, "content": "c1"}),
    ],
)
def test_a_field_that_both_sides_wrote_is_unsure(
    here: dict[str, str], there: dict[str, str], merged: dict[str, str]
) -> None:
    ours, theirs = (manifest(structs.replace(ABOUT, fingerprints=side), TEAM) for side in (here, there))
    assert one(ours, theirs).entries["about.md"].fingerprints == merged


def test_a_rename_on_one_side_and_a_write_on_the_other_are_one_record() -> None:
    moved = structs.replace(ABOUT, path="us.md", commit="1" * 40)
    written = structs.replace(ABOUT, fingerprints={"title": "t2", "content": "c1"}, commit="2" * 40)
    merged = one(manifest(moved, TEAM), manifest(written, TEAM))
    assert set(merged.entries) == {"us.md", "team.md"}
    assert merged.entries["us.md"].fingerprints["title"] == "t2"
    assert merged.entries["us.md"].commit == "1" * 40, "the commit that has the new name"


def test_one_path_made_on_both_sides_shows_both_ids_and_is_no_manifest_until_somebody_chose() -> None:
    merged = merge(
        BASE, manifest(ABOUT, TEAM, entry("new.md", 14)), manifest(ABOUT, TEAM, entry("new.md", 15))
    )
    assert [clash.what for clash in merged.clashes] == [
        "new.md is page 14 on one side and page 15 on the other"
    ]
    with pytest.raises(ManifestError, match=r"m\.json:6: it has the conflict markers"):
        decode(merged.text, where="m.json")
    assert '"id": 14' in merged.text
    assert '"id": 15' in merged.text


@pytest.mark.parametrize("keep", ["ours", "theirs"])
@pytest.mark.parametrize("path", ["a.md", "zz.md"])
def test_of_a_clash_either_side_can_be_kept_by_taking_lines_out(keep: str, path: str) -> None:
    ours, theirs = entry(path, 14), entry(path, 15)
    merged = merge(BASE, manifest(ABOUT, TEAM, ours), manifest(ABOUT, TEAM, theirs))
    expected = manifest(ABOUT, TEAM, ours if keep == "ours" else theirs)
    assert decode(resolved(merged.text, keep), where="m.json") == expected


@pytest.mark.parametrize("keep", ["ours", "theirs"])
def test_names_and_files_that_have_two_ids_clash_as_well(keep: str) -> None:
    news, picture = Name("categories", "news"), Medium("b1", "x.jpg", 31, "l")

    def side(number: int) -> Manifest:
        return Manifest("t", {}, {news: number}, {"b1": structs.replace(picture, id=number)})

    merged = merge(Manifest("t"), side(31), side(32))
    assert [clash.what for clash in merged.clashes] == [
        "categories 'news' is 31 on one side and 32 on the other",
        "x.jpg was uploaded on both sides, as media 31 and 32",
    ]
    assert decode(resolved(merged.text, keep), where="m.json") == side(31 if keep == "ours" else 32)


def test_names_and_files_of_both_sides_are_known_and_what_one_has_forgotten_is_not() -> None:
    def side(*names: str) -> Manifest:
        return Manifest("t", {}, {Name("tags", name): len(name) for name in names})

    merged = one(side("old", "here"), side("there"), side("old"))
    assert merged == side("here", "there")


def test_an_unconfirmed_create_of_either_side_stays_and_one_that_either_has_settled_goes() -> None:
    settled, other = (
        structs.replace(SENT_CREATE, path="settled.md"),
        structs.replace(SENT_CREATE, time="2025"),
    )
    base = replace(BASE, unconfirmed=(settled,))
    assert one(
        replace(BASE, unconfirmed=(SENT_CREATE, settled)), replace(BASE, unconfirmed=(other,)), base
    ).unconfirmed == (
        SENT_CREATE,
        other,
    )


def test_two_targets_cannot_become_one() -> None:
    with pytest.raises(ManifestError, match="their ids differ"):
        merge(Manifest("a"), Manifest("b"), Manifest("c"))
    assert merge(Manifest("a"), Manifest("b"), Manifest("a")).manifest.target == "b"


# Few of everything, so that sides meet: the same record under two paths, the same path with two records.
_few = st.sampled_from(("", "x", "y"))
_prints = st.dictionaries(st.sampled_from(("title", "content")), _few)
_meeting = st.builds(
    entry, st.just("?"), st.just(1), slug=_few, blob=_few, commit=_few, fingerprints=_prints,
    changed_by_service=_prints, parent_path=st.sampled_from((None, "x")),
    links=st.lists(_few, max_size=2).map(tuple),
)  # fmt: skip
_placed = st.dictionaries(st.sampled_from("abcd"), _meeting, max_size=4).flatmap(
    lambda entries: st.permutations(range(1, 6)).map(
        lambda numbers: {
            path: structs.replace(each, path=path, id=number)
            for (path, each), number in zip(entries.items(), numbers, strict=False)
        }
    )
)
_unconfirmed_create = st.builds(
    lambda path, time: structs.replace(SENT_CREATE, path=path, time=time), st.sampled_from("ab"), _few
)
_sides = st.builds(
    lambda entries, names, unconfirmed: Manifest(
        "t", entries, names, {}, tuple(sorted(unconfirmed, key=by_key))
    ),
    _placed,
    st.dictionaries(st.builds(Name, st.just("tags"), st.sampled_from("xy")), st.integers(1, 3), max_size=2),
    st.lists(_unconfirmed_create, max_size=2).map(
        lambda unconfirmed: {by_key(each): each for each in unconfirmed}.values()
    ),
)


def by_key(create: UnconfirmedCreate) -> tuple[object, ...]:
    return create.key


def ids(known: Manifest) -> set[int]:
    return {each.id for each in known.entries.values()}


def shown(text: str) -> set[int]:
    return {number for number in range(1, 6) if f'"kind": "page", "id": {number},' in text}


@settings(max_examples=50)
@given(_sides, _sides, _sides)
def test_no_id_is_dropped_that_neither_side_let_go(base: Manifest, ours: Manifest, theirs: Manifest) -> None:
    let_go = ids(base) - (ids(ours) & ids(theirs))
    merged = merge(base, ours, theirs)
    assert (ids(ours) | ids(theirs)) - let_go <= shown(merged.text)
    assert shown(merged.text) <= ids(ours) | ids(theirs)
    changed = {
        each.id
        for side in (ours, theirs)
        for each in side.entries.values()
        if each not in base.entries.values()
    }
    assert changed <= shown(merged.text), "nor one that the other side wrote to"


@settings(max_examples=50)
@given(_sides, _sides, _sides)
def test_either_order_gives_the_same_or_a_clash(base: Manifest, ours: Manifest, theirs: Manifest) -> None:
    merged, swapped = merge(base, ours, theirs), merge(base, theirs, ours)
    assert sorted((each.ours, each.theirs) for each in merged.clashes) == sorted(
        (each.theirs, each.ours) for each in swapped.clashes
    )
    if not merged.clashes:
        assert merged == swapped
        assert decode(merged.text, where="m.json") == merged.manifest


@settings(max_examples=50)
@given(_sides, _sides)
def test_a_side_that_changed_nothing_adds_nothing(base: Manifest, other: Manifest) -> None:
    assert merge(base, base, other).manifest == other
    assert merge(base, other, base).manifest == other
    assert merge(base, other, other).manifest == other


def resolved(text: str, keep: str) -> str:
    """Do what a person does in an editor: keep one side of each pair, and take the markers out."""
    lines, side = [], ""
    for line in text.splitlines():
        match line[:7]:
            case "<<<<<<<":
                side = "ours"
            case "=======":
                side = "theirs"
            case ">>>>>>>":
                side = ""
            case _ if side in ("", keep):
                lines.append(line)
    return "\n".join(lines) + "\n"
