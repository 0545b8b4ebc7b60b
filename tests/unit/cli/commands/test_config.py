"""`pressync config`: every value with its origin, and never a secret."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.support.terminal import Terminal


def test_each_value_is_shown_with_its_origin(terminal: Terminal) -> None:
    terminal.environ.pop("PRESSYNC_URL")
    terminal.environ["PRESSYNC_USER"] = "editor"
    terminal.repository.commit(
        {"pressync.toml": '[sites.live]\nurl = "https://example.org/wp-json"\nbranch = "main"\n'}
    )
    shown = json.loads(terminal.run("config", "--format", "json").stdout)
    assert shown["url"] == {"value": "https://example.org/wp-json", "from": "pressync.toml [sites.live]"}
    assert shown["user"] == {"value": "editor", "from": "PRESSYNC_USER"}
    assert shown["templates"] == {"value": "templates", "from": "default"}
    assert shown["blocks"] == {"value": "false", "from": "default"}


def test_a_password_is_only_told_to_be_there(terminal: Terminal) -> None:
    terminal.environ["PRESSYNC_PASSWORD"] = "hunter2"
    terminal.environ["PRESSYNC_USER"] = "editor"
    shown = terminal.run("config").stdout
    assert "PRESSYNC_PASSWORD" in shown
    assert "hunter2" not in shown


_TWO = '[sites.staging]\nurl = "https://staging.example.org/wp-json"\n[sites.live]\nurl = "https://example.org/wp-json"\n'


def test_the_sites_are_listed_without_choosing_one(terminal: Terminal) -> None:
    terminal.environ.pop("PRESSYNC_URL")
    terminal.repository.commit({"pressync.toml": _TWO})
    shown = json.loads(terminal.run("config", "--format", "json").stdout)
    assert shown == {"version": 1, "sites": {"value": ["staging", "live"], "from": "pressync.toml"}}
    told = terminal.run("config")
    assert told.stdout == "sites  staging, live  (pressync.toml)\n"
    assert told.stderr == "`pressync --site NAME config` shows the settings of one site.\n"


def test_a_chosen_site_is_shown_beside_the_list(terminal: Terminal) -> None:
    terminal.environ.pop("PRESSYNC_URL")
    terminal.repository.commit({"pressync.toml": _TWO})
    shown = json.loads(terminal.run("--site", "live", "config", "--format", "json").stdout)
    assert (shown["site"]["value"], shown["sites"]["value"]) == ("live", ["staging", "live"])
    assert "staging, live" in terminal.run("--site", "live", "config").stdout


def test_trust_says_what_the_clone_agrees_to(terminal: Terminal) -> None:
    terminal.environ.pop("PRESSYNC_URL")
    terminal.repository.commit(
        {"pressync.toml": f"{_TWO}password_command = ['pass', 'show', 'my site']\nuser = 'anna'\n"}
    )
    said = terminal.run("--site", "live", "config", "--trust")
    assert said.stderr == (
        "From now on, this clone sends its credentials to https://example.org/wp-json. "
        "It runs `pass show 'my site'` for the password.\n"
    )
    memory = terminal.repository.root / ".git/pressync/used-settings"
    assert json.loads(memory.read_text(encoding="utf-8")) == {
        "url": "https://example.org/wp-json",
        "password_command": ["pass", "show", "my site"],
    }


def test_trust_agrees_to_nothing_that_cannot_be_read(terminal: Terminal) -> None:
    terminal.environ.pop("PRESSYNC_URL")
    terminal.repository.commit({"pressync.toml": f"{_TWO}colour = 1\n"})
    terminal.run("--site", "live", "config", "--trust", exits=2)
    assert not (terminal.repository.root / ".git/pressync/used-settings").exists()
