"""The JSON documents, as text: for programs, with stable keys in a stable order."""

from __future__ import annotations

import json
from collections.abc import Sequence

from pressync.model import Plan
from pressync.report.facts import Run, Standing, plan_counts, plan_document, run_document, status_document


def plan(drawn: Plan) -> str:
    """`plan --format json`."""
    return _text(plan_document(drawn))


def plan_in_step(drawn: Plan, kept: int) -> str:
    """The same for a plan whose kept records were only counted."""
    document = plan_document(drawn)
    return _text({**document, "counts": {**plan_counts(drawn), "keep": kept}})


def run(ended: Run) -> str:
    """`sync --format json`."""
    return _text(run_document(ended))


def status(site: str, standings: Sequence[Standing]) -> str:
    """`status --format json`."""
    return _text(status_document(site, standings))


def _text(document: dict[str, object]) -> str:
    # ASCII: any terminal, pipe or shell that reads it gets the same characters.
    return json.dumps(document, indent=2) + "\n"
