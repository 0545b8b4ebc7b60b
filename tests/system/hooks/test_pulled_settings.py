"""A pull that changes the address of a site sends the password nowhere, with a hook and without."""

from __future__ import annotations

from base64 import b64encode
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner
from tests.support.hooked import ABOUT
from tests.support.repository import SampleRepository
from tests.support.strict_service import serving

from pressync.cli.main import pressync

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.hooked import Hooked
    from tests.support.strict_service import StrictService


AUTHORIZATION = "Basic " + b64encode(b"anna:hunter2").decode()


def settings(service: StrictService) -> str:
    """Write the settings of a site."""
    return f'[sites.live]\nurl = "{service.url}"\nuser = "anna"\nbranch = "main"\n'


@pytest.mark.parametrize("synced", [True, False])
def test_a_pulled_address_gets_no_password(
    hooked: Hooked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, synced: bool
) -> None:
    monkeypatch.setenv("PRESSYNC_PASSWORD", "hunter2")
    with serving() as ours, serving() as theirs:
        ours.authorization = theirs.authorization = AUTHORIZATION
        hooked.repository.commit({"pressync.toml": settings(ours)})
        if synced:
            hooked.pressync("sync", "--yes", "--commit")
        hooked.pressync("hook", "install", "--type", "post-merge")
        eve = SampleRepository(tmp_path / "eve")
        hooked.git("clone", "--quiet", ".", str(eve.root))
        if synced:
            eve.remove(".pressync/live.json")
        eve.commit({"pressync.toml": settings(theirs), ABOUT: "# About\n"})
        seen = len(ours.received)

        said = hooked.git("pull", "--quiet", str(eve.root), "main")
        refusal = f"this clone has not sent its credentials to {theirs.url} before"
        assert refusal in said.replace("\npressync: ", " ")
        assert refusal in hooked.pressync("sync", "--yes", exits=2)
        assert not theirs.received
        assert len(ours.received) == seen

        assert f"sends its credentials to {theirs.url}." in hooked.pressync("config", "--trust")
        hooked.pressync("sync", "--yes")
        assert {page["slug"] for page in theirs.pages} == {"index", "about"}


@pytest.mark.parametrize("answer", ["y", "n"])
def test_a_person_at_a_terminal_is_asked(
    hooked: Hooked, monkeypatch: pytest.MonkeyPatch, answer: str
) -> None:
    monkeypatch.setenv("PRESSYNC_PASSWORD", "hunter2")
    monkeypatch.setattr("pressync.cli.console.is_watched", lambda _given: True)
    with serving() as ours, serving() as theirs:
        ours.authorization = theirs.authorization = AUTHORIZATION
        hooked.repository.commit({"pressync.toml": settings(ours)})
        hooked.pressync("doctor")
        hooked.repository.commit({"pressync.toml": settings(theirs), ABOUT: "# About\n"})
        said = CliRunner().invoke(pressync, ["-C", str(hooked.root), "sync", "--yes"], input=answer)
        assert (
            f"pressync.toml [sites.live]: this clone has not sent its credentials to {theirs.url} before. "
            f"So far it has used {ours.url}. Go on with these settings from now on? [y/N]: "
        ) in said.stderr
        assert said.exit_code == (0 if answer == "y" else 2)
        assert len(theirs.pages) == (2 if answer == "y" else 0)
        again = CliRunner().invoke(pressync, ["-C", str(hooked.root), "sync", "--yes"], input="n")
        assert ("Go on" in again.stderr) == (answer == "n")
