"""Text from outside never moves a terminal: not from files, not from a service's answers, in no command."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner
from tests.support.hostile.faults import ESCAPES
from tests.support.hostile.port import EVERYWHERE, PASSWORD, USER, Fault, changed, showing
from tests.support.hostile.service import serving

from pressync.cli.main import pressync

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.hostile.service import HostileService
    from tests.support.repository import SampleRepository
    from tests.support.wire import Json

_UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_YAML = r"\e]0;owned\a\e[2J\x9b31m\u202egnp"
_FORMATS = ("text", "json", "markdown", "github")

# Documents whose every value tries; one of them cannot be read, one has a warning.
_PAGES = {
    "content/pages/evil.md": f'---\ntitle: "A {_YAML}"\nslug: evil\nexcerpt: "{_YAML}"\n---\n{ESCAPES}\n',
    "content/pages/aliased.md": f'---\ntitle: "B {_YAML}"\naliases: ["/old{_YAML}/"]\n---\n[x](none.md)\n',
    "content/pages/odd.md": f'---\ntitle: C\n"odd{_YAML}": 1\nlayout: "{_YAML}"\n---\nC\n',
}


@pytest.fixture
def service() -> Iterator[HostileService]:
    with serving("documented") as running:
        yield running


def _said(repository: SampleRepository, service: HostileService, *arguments: str) -> str:
    """Run a command; everything that it printed, which must be fit for a terminal."""
    environ = {"PRESSYNC_URL": service.url, "PRESSYNC_USER": USER, "PRESSYNC_PASSWORD": PASSWORD}
    result = CliRunner().invoke(pressync, ["-C", str(repository.root), *arguments], env=environ)
    assert isinstance(result.exception, SystemExit | None), result.exception
    assert not (found := _UNPRINTABLE.search(result.output)), f"{arguments}: {found} in {result.output!r}"
    assert PASSWORD not in result.output
    return result.output


def _shape(record: Json) -> None:
    if "title" not in record:
        # The first look at a site reads what it says of itself.
        return
    record["title"]["raw"] += ESCAPES
    record["slug"] += ESCAPES
    record["link"] += ESCAPES
    record["modified"] += ESCAPES


PLACES = (
    f"https://a:{PASSWORD}@example.org\x1b[2J/\x9b",
    "https://[broken",
    "//",
    "https://a:b@[::1]:x/",
    "\x1b]0;owned\x07",
)


@pytest.mark.parametrize("command", [("doctor",), ("doctor", "--format", "json"), ("init", "--url", "URL")])
def test_redirects_that_try(
    repository: SampleRepository, service: HostileService, command: tuple[str, ...]
) -> None:
    repository.commit({"content/pages/a.md": "# A\n"})
    for place in PLACES:
        service.begin(Fault("a redirect", shows=showing(302, {}, headers=(("Location", place),))), EVERYWHERE)
        assert _said(repository, service, *(service.url if word == "URL" else word for word in command))


def test_documents_that_try(repository: SampleRepository, service: HostileService) -> None:
    repository.commit(_PAGES)
    for arguments in (
        *(("plan", "--diff", "--format", form) for form in (*_FORMATS, "html")),
        ("check",),
        ("check", "--strict"),
        ("-v", "sync", "--yes", "--keep-going"),
        ("status",),
        ("status", "--format", "json"),
        ("redirects",),
    ):
        assert _said(repository, service, *arguments)


@pytest.mark.parametrize(
    "form", [_FORMATS[0], *(pytest.param(one, marks=pytest.mark.sweep) for one in _FORMATS[1:])]
)
@pytest.mark.parametrize(
    "fault",
    [
        Fault("records that try", shows=changed(_shape)),
        Fault("a refusal that tries", acts=False, shows=showing(400, {"code": ESCAPES, "message": ESCAPES})),
        Fault("words before the record", shows=showing(200, raw=ESCAPES.encode() + b"{}")),
        Fault("a type of content", shows=showing(200, {}, content_type="text/html; \x1b[2J\x07")),
        Fault(
            "a redirect with a password",
            acts=False,
            shows=showing(302, {}, headers=(("Location", f"https://a:{PASSWORD}@example.org/\x1b[2J\x9b"),)),
        ),
    ],
    ids=lambda fault: fault.name,
)
def test_answers_that_try(
    repository: SampleRepository, service: HostileService, fault: Fault, form: str
) -> None:
    repository.commit({"content/pages/a.md": "# A\n", "content/pages/a/b.md": "# B\n"})
    service.begin(fault, EVERYWHERE)

    said = _said(repository, service, "-v", "sync", "--yes", "--format", form)
    after = _said(repository, service, "status") + _said(repository, service, "status", "--format", "json")

    assert "a.md" in said
    assert "a.md" in after
