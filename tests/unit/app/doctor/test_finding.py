"""A finding: verdict, evidence, next step; and the document that all of them make."""

from __future__ import annotations

from pressync.app.doctor.finding import document, failed, ok, unknown, wrong
from pressync.model.errors import ConfigError


def test_an_error_is_a_finding_in_its_own_words_with_its_place() -> None:
    there = ConfigError("this is no plan", where="plan.json", todo="write one")
    assert failed("plan", there) == wrong("plan", "plan.json: this is no plan", "write one")
    assert failed("plan", ConfigError("nobody agrees")) == wrong("plan", "nobody agrees", "")


def test_the_document_counts_every_verdict_also_those_that_nothing_has() -> None:
    found = document([ok("a", "1"), unknown("b", "2", "look"), ok("c", "3")])
    assert found["version"] == 1
    assert found["counts"] == {"ok": 2, "wrong": 0, "unknown": 1}
    assert found["findings"] == [
        {"name": "a", "verdict": "ok", "evidence": "1", "todo": ""},
        {"name": "b", "verdict": "unknown", "evidence": "2", "todo": "look"},
        {"name": "c", "verdict": "ok", "evidence": "3", "todo": ""},
    ]
