"""What one look learns is known for that look alone."""

from __future__ import annotations

from pressync.model.records import Manifest, Medium, Name
from pressync.state.learning import OneLook

TAG = Name("tags", "news")


def test_what_is_learned_is_known_beside_what_was_and_nothing_is_written_down() -> None:
    known = Manifest("target", names={Name("tags", "old"): 1})
    look = OneLook.beside(known)
    look.learn(names={TAG: 2}, media=[Medium("blob", "a.png", 3, "https://site.test/a.png")])
    assert look.manifest.names == {Name("tags", "old"): 1, TAG: 2}
    assert look.manifest.media["blob"].id == 3
    assert TAG not in known.names
    assert not known.media
