"""The types, taxonomies and fields of the stand's three sites, as their recorded and shortened responses say.

The sites have tests/live/stand/types.php. Labels, arguments and links are left out of the responses.
"""

from __future__ import annotations

import copy
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

VERSIONS = ("old", "mid", "new")
_GONE = {"code": "rest_no_route", "message": "No route was found.", "data": {"status": 404}}
_TERMS = ("/wp/v2/genres", "/wp/v2/mood", "/wp/v2/wp_pattern_category")


@dataclass
class DescribedSite:
    """A site that answers what it has; `answers` has each response by route, and a test may change it."""

    answers: dict[str, Any]
    asked: list[str] = field(default_factory=list)
    # The routes of taxonomies.
    terms: set[str] = field(default_factory=lambda: {*_TERMS})

    @property
    def types(self) -> dict[str, Any]:
        """The types that its editor sees."""
        found: dict[str, Any] = self.answers["/wp/v2/types edit"]
        return found

    def properties(self, route: str) -> dict[str, Any]:
        """Give the schemas of the fields of a route."""
        found: dict[str, Any] = self.answers[route]["schema"]["properties"]
        return found

    def take(self, path: str) -> tuple[int, Any]:
        """Answer a request: the status, and the JSON."""
        parts = urlsplit(path)
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        self.asked.append(parts.path)
        if parts.path in self.terms and "_method" not in query:
            return 200, []
        is_list = parts.path in {"/wp/v2/types", "/wp/v2/taxonomies"}
        key = f"{parts.path} {query.get('context', 'view')}" if is_list else parts.path
        if key not in self.answers or not (is_list or query.get("_method") == "OPTIONS"):
            return 404, _GONE
        answer = copy.deepcopy(self.answers[key])
        if is_list and "_fields" in query:
            # WordPress filters the map by its names, too.
            answer = {name: row for name, row in answer.items() if name in query["_fields"].split(",")}
        failed = isinstance(answer, dict) and answer.get("code") == "internal_server_error"
        return 500 if failed else 200, answer or []


def described(version: str = "new") -> DescribedSite:
    """Give a site of the stand."""
    file = Path(__file__).parent / "site_schemas" / f"{version}.json"
    return DescribedSite(json.loads(file.read_text(encoding="utf-8")))
