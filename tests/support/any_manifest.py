"""The nouns of the manifest for tests: any that Hypothesis can think of."""

from __future__ import annotations

from hypothesis import strategies as st

from pressync.model.bounds import is_path
from pressync.model.interface import DOCUMENTED_TYPES
from pressync.model.records import Entry, Manifest, Medium, Name, Take, UnconfirmedCreate

_texts = st.text(max_size=12)
_lists = st.lists(_texts, max_size=3).map(tuple)
_mappings = st.dictionaries(_texts, _texts, max_size=3)
_paths = st.text(min_size=1, max_size=12).filter(is_path)

any_entry = st.builds(
    Entry,
    path=_paths,
    kind=st.sampled_from(DOCUMENTED_TYPES.kinds),
    id=st.integers(1, 2**63 - 1),
    slug=_texts,
    link=_texts,
    modified=_texts,
    modified_gmt=_texts,
    blob=_texts,
    commit=_texts,
    fingerprints=_mappings,
    parent_path=st.none() | _paths,
    basis=_texts,
    layout=_texts,
    links=_lists,
    changed_by_service=_mappings,
    conflict=_mappings,
    protect=st.booleans(),
    aliases=_lists,
    former=_lists,
    take=st.none() | st.builds(Take, _texts, _texts, st.booleans()),
)

_ids = st.integers(1, 2**63 - 1)
any_name = st.builds(Name, st.sampled_from(("author", "categories", "tags")), _texts)
any_medium = st.builds(Medium, _texts, _texts, _ids, _texts)

any_unconfirmed_create = st.builds(
    UnconfirmedCreate, _paths, st.sampled_from(DOCUMENTED_TYPES.kinds), _texts, _texts, _texts, _mappings
)

any_manifest = st.builds(
    lambda target, entries, names, media, unconfirmed: Manifest(
        target,
        {each.path: each for each in entries},
        names,
        {each.blob: each for each in media},
        tuple(sorted(unconfirmed, key=lambda each: each.key)),
    ),
    _texts,
    st.lists(any_entry, max_size=5, unique_by=(lambda each: each.path, lambda each: (each.kind, each.id))),
    st.dictionaries(any_name, _ids, max_size=3),
    st.lists(any_medium, max_size=3),
    st.lists(any_unconfirmed_create, max_size=3, unique_by=lambda each: each.key),
)
