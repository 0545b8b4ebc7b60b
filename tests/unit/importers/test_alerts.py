"""The notes of other tools become alerts."""

from __future__ import annotations

import pytest

from pressync.content.render.markdown import to_html
from pressync.importers.alerts import alert


@pytest.mark.parametrize(
    ("word", "title", "head"),
    [
        ("note", "", "> [!NOTE]"),
        ("Tip", "Tip", "> [!TIP]"),
        ("danger", "", "> [!CAUTION] Danger"),
        ("info", "Note", "> [!NOTE]"),
        ("warning", "Mind the gap", "> [!WARNING] Mind the gap"),
        ("whatever", "", "> [!NOTE] Whatever"),
    ],
)
def test_a_kind_without_a_counterpart_keeps_its_word_as_the_title(word: str, title: str, head: str) -> None:
    assert alert(word, title, "Text").split("\n") == [head, "> Text"]


def test_blocks_in_an_alert_stay_blocks() -> None:
    page = to_html(alert("note", "", "    One.\n\n    - two\n    - three\n"))
    assert "<p>One.</p>" in page
    assert "<li>two</li>" in page
    assert 'class="markdown-alert markdown-alert-note"' in page
