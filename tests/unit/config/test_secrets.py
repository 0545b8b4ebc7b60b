"""Where a secret comes from, that no child inherits it, and whose settings may use it."""

from __future__ import annotations

import base64
import os
import shutil
import subprocess
import sys
import traceback
from typing import TYPE_CHECKING

import pytest
from tests.support.keyrings import Keyring, installed
from tests.support.strict_service import serving

from pressync.client.credentials import basic as header
from pressync.config import secrets, settings
from pressync.config.secrets import CredentialPolicy, authorization
from pressync.config.settings import Site
from pressync.model.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.support.repository import SampleRepository
    from tests.support.strict_service import StrictService


SECRET = "hunter2"
SITE = Site("production", "https://example.org/wp-json", "documented", "editor", ".pressync/production.json")


def basic(password: str, user: str = "editor") -> str:
    """Give the header that a user and a password make."""
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()


def revealed(site: Site, environ: dict[str, str] | None = None) -> str | None:
    """Ask for the credentials of a site and reveal them."""
    found = authorization(site, environ or {})
    return found.reveal() if found else None


def refused(site: Site, environ: dict[str, str] | None = None) -> str:
    """Ask for credentials that cannot be had; give everything that a person or a log could see of it."""
    with pytest.raises(ConfigError) as caught:
        authorization(site, environ or {})
    shown = "".join(traceback.format_exception(caught.value))
    assert SECRET not in shown
    assert caught.value.__cause__ is None
    return str(caught.value)


@pytest.fixture(autouse=True)
def no_keyring(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out the keyring of the person who runs the tests."""
    monkeypatch.setitem(sys.modules, "keyring", None)


@pytest.fixture
def command(tmp_path: Path) -> Callable[[str], Site]:
    """Make a site whose password comes from a script."""

    def site(script: str) -> Site:
        file = tmp_path / "ask for it.sh"
        file.write_text(f"#!/bin/sh\n{script}\n")
        file.chmod(0o755)
        return SITE._replace(password_command=(str(file), "production"))

    return site


def test_a_token_goes_before_a_password_and_needs_no_user() -> None:
    environ = {"PRESSYNC_TOKEN": "abc.def", "PRESSYNC_PASSWORD": SECRET}
    assert revealed(SITE._replace(user=None), environ) == "Bearer abc.def"


def test_what_is_found_hides_itself() -> None:
    found = authorization(SITE, {"PRESSYNC_PASSWORD": SECRET})
    assert SECRET not in repr(found) + str(found) + f"{found}"
    assert basic(SECRET) not in repr(found) + str(found)


NO_PASSWORD = (
    "no password for editor on site 'production'; set PRESSYNC_PASSWORD or `password_command`, "
    "or install the extra `keyring` (`pip install 'pressync[keyring]'`, or `pipx inject pressync keyring`) "
    "and run `pressync login`"
)


@pytest.mark.parametrize(
    ("user", "environ", "told"),
    [
        (
            "editor",
            {},
            NO_PASSWORD,
        ),
        (
            None,
            {"PRESSYNC_PASSWORD": SECRET},
            "a password is set, but not a user; set PRESSYNC_USER or `user`",
        ),
        ("editor", {"PRESSYNC_PASSWORD": f"{SECRET}\n"}, "check PRESSYNC_PASSWORD"),
        ("editor", {"PRESSYNC_TOKEN": f"{SECRET} x"}, "check PRESSYNC_TOKEN"),
    ],
)
def test_a_missing_password_or_user_is_told(user: str | None, environ: dict[str, str], told: str) -> None:
    assert told in refused(SITE._replace(user=user), environ)


class TestCommand:
    """The password may be the first line of what a command prints."""

    def test_a_list_of_words_is_run_without_a_shell_and_only_its_first_line_counts(
        self, command: Callable[[str], Site], capfd: pytest.CaptureFixture[str]
    ) -> None:
        assert revealed(command('echo "$1;$#"')) == basic("production;1")
        script = rf"echo {SECRET} >&2; printf '{SECRET} \r\nuser: editor\n'"
        assert revealed(command(script)) == basic(f"{SECRET} ")
        assert SECRET not in "".join(capfd.readouterr())

    @pytest.mark.parametrize(
        ("script", "said"),
        [
            (f"echo {SECRET}; echo {SECRET} >&2; exit 3", " failed with exit code 3; run it by hand"),
            (rf"printf '{SECRET}\377\n'", " failed: its output is not UTF-8"),
            ("", " failed (FileNotFoundError); run it by hand"),
        ],
    )
    def test_a_failing_command_is_told_without_what_it_said(
        self, command: Callable[[str], Site], script: str, said: str
    ) -> None:
        missing = SITE._replace(password_command=("/nowhere/pass", SECRET))
        told = refused(command(script) if script else missing)
        assert told.startswith(f"`password_command` of site 'production'{said}")

    def test_it_does_not_read_what_a_hook_is_given(
        self, command: Callable[[str], Site], tmp_path: Path
    ) -> None:
        (tmp_path / "pushed").write_text("what was pushed\n")
        before = os.dup(0)
        with (tmp_path / "pushed").open() as pushed:
            os.dup2(pushed.fileno(), 0)
            try:
                assert refused(command("head -1")).startswith("no password")
            finally:
                os.dup2(before, 0)
                os.close(before)


def test_the_keyring_is_asked_last_by_user_and_address(
    monkeypatch: pytest.MonkeyPatch, command: Callable[[str], Site]
) -> None:
    address = "editor@https://example.org/wp-json"
    installed(monkeypatch, Keyring(kept={("pressync", address): SECRET}))
    assert revealed(SITE) == basic(SECRET)
    assert revealed(command("echo other")) == basic("other")
    other = Keyring(kept={("pressync", address.replace("example", "staging")): SECRET})
    installed(monkeypatch, other)
    assert refused(SITE).endswith("or `password_command`, or run `pressync login`")
    other.is_locked = True
    assert refused(SITE).startswith("no password for editor")


OURS, THEIRS = "https://ours.example/wp-json", "https://theirs.example/wp-json"
PASSWORD = {"PRESSYNC_USER": "anna", "PRESSYNC_PASSWORD": "hunter2"}
TOKEN = {"PRESSYNC_TOKEN": "hunter2"}


def settings_of(environ: dict[str, str], more: str = "", url: str = THEIRS) -> settings.Settings:
    """Read the settings of a site that names an address."""
    return settings.load(f'[sites.live]\nurl = "{url}"\n{more}', where="pressync.toml", environ=environ)


@pytest.mark.parametrize("secret", [PASSWORD, TOKEN, {"PRESSYNC_PASSWORD": "hunter2"}])
def test_no_secret_of_the_environment_goes_to_an_address_that_was_pushed(secret: dict[str, str]) -> None:
    with pytest.raises(ConfigError) as refused:
        CredentialPolicy(settings_of(secret), secret, is_pushed=True).authorization()
    assert str(refused.value) == (
        f"pressync.toml [sites.live]: pressync does not send this machine's credentials to {THEIRS}, "
        "because that `url` was pushed; set PRESSYNC_URL on this machine, or keep the settings in a file "
        "on it, for `--config FILE`"
    )
    assert refused.value.exit_code == 2
    assert CredentialPolicy(settings_of({}), {}, is_pushed=True).authorization() is None
    assert CredentialPolicy(settings_of(PASSWORD), PASSWORD, is_pushed=False).authorization() is not None


@pytest.mark.parametrize(
    ("name", "environ", "more"),
    [
        # No name of a site passes for the environment, and an empty address is not one.
        ("PRESSYNC_URL", PASSWORD, ""),
        ("default", PASSWORD, ""),
        ("live", {**PASSWORD, "PRESSYNC_URL": ""}, ""),
        # The keyring is not asked for a pushed user and a pushed address.
        ("live", {}, 'user = "anna"\n'),
    ],
)
def test_nothing_passes_for_an_address_of_this_machine(name: str, environ: dict[str, str], more: str) -> None:
    text = f'[sites.{name}]\nurl = "{THEIRS}"\n{more}'
    found = settings.load(text, where="pressync.toml", environ=environ)
    with pytest.raises(ConfigError, match="was pushed"):
        CredentialPolicy(found, environ, is_pushed=True).authorization()


@pytest.mark.parametrize("secret", [PASSWORD, TOKEN])
def test_an_address_of_the_environment_gets_it_whatever_was_pushed(secret: dict[str, str]) -> None:
    environ = {**secret, "PRESSYNC_URL": OURS}
    found = settings_of(environ, 'user = "mallory"\n')
    assert found.site.url == OURS
    assert CredentialPolicy(found, environ, is_pushed=True).authorization() is not None


def test_a_pushed_command_is_not_run() -> None:
    environ = {**PASSWORD, "PRESSYNC_URL": OURS}
    with pytest.raises(ConfigError, match="does not run a `password_command` that was pushed"):
        CredentialPolicy(
            settings_of(environ, 'password_command = "true"\n'), environ, is_pushed=True
        ).authorization()


def test_pushed_settings_do_not_allow_credentials_in_the_clear() -> None:
    found = settings_of({}, "allow_http = true\n")
    assert CredentialPolicy(found, {}, is_pushed=False).allow_http
    assert not CredentialPolicy(found, {}, is_pushed=True).allow_http


IN_KEYRING = Site("production", "https://example.org/wp-json", "wordpress", "editor", ".pressync/p.json")
KEPT = "abcd efgh"
_BACKEND = """\
from pathlib import Path
from keyring.backend import KeyringBackend

class InFile(KeyringBackend):
    name = "a keyring in a file"
    priority = 1
    file = Path(__file__).with_suffix(".txt")

    def get_password(self, service, username):
        return self.file.read_text() if self.file.exists() else None

    def set_password(self, service, username, password):
        self.file.write_text(password)

    def delete_password(self, service, username):
        self.file.unlink()
"""
_USED = """\
from pressync.config import secrets
from pressync.config.settings import Site
site = Site("p", "https://example.org/wp-json", "wordpress", "editor", "p.json")
print(secrets.keyring_name())
secrets.store(secrets.account(site), "abcd efgh")
print(secrets.stored_password(site))
secrets.remove(secrets.account(site))
print(secrets.stored_password(site))
"""


@pytest.fixture
def keyring(monkeypatch: pytest.MonkeyPatch) -> Keyring:
    return installed(monkeypatch, Keyring())


def test_a_password_is_kept_by_user_and_address_and_removed(keyring: Keyring) -> None:
    assert secrets.keyring_name() == "a keyring in memory"
    secrets.store(secrets.account(IN_KEYRING), KEPT)
    assert keyring.kept == {("pressync", "editor@https://example.org/wp-json"): KEPT}
    assert secrets.stored_password(IN_KEYRING) == KEPT
    secrets.remove(secrets.account(IN_KEYRING))
    secrets.remove(secrets.account(IN_KEYRING))
    assert secrets.stored_password(IN_KEYRING) is None


def test_a_locked_keyring_and_one_that_loses_what_it_takes_are_told(keyring: Keyring) -> None:
    keyring.loses = True
    with pytest.raises(ConfigError, match="did not give back the password"):
        secrets.store(secrets.account(IN_KEYRING), KEPT)
    keyring.is_locked = True
    assert secrets.stored_password(IN_KEYRING) is None
    with pytest.raises(ConfigError) as caught:
        secrets.store(secrets.account(IN_KEYRING), KEPT)
    assert "the keyring took no password (KeyringError); unlock it, or set `password_command`" in str(
        caught.value
    )
    assert "the secret of the error" not in str(caught.value)


@pytest.mark.parametrize("module", ["keyring.backends.fail", "keyring.backends.null", "a chain"])
def test_a_backend_that_stores_nothing_is_not_a_keyring(monkeypatch: pytest.MonkeyPatch, module: str) -> None:
    with pytest.raises(ConfigError, match=r"`pip install 'pressync\[keyring\]'`, or `pipx inject"):
        secrets.keyring_name()
    made = type("Empty", (Keyring,), {"__module__": module})()
    if module == "a chain":
        vars(made)["backends"] = ()
    installed(monkeypatch, made)
    with pytest.raises(ConfigError, match="no keyring service that runs"):
        secrets.keyring_name()


def test_the_real_package_keeps_a_password_in_the_backend_of_its_variable(tmp_path: Path) -> None:
    pytest.importorskip("keyring", reason="the package `keyring` is optional")
    (tmp_path / "in_file.py").write_text(_BACKEND)
    environ = {"PYTHONPATH": str(tmp_path), "PYTHON_KEYRING_BACKEND": "in_file.InFile"}
    done = subprocess.run(
        [sys.executable, "-c", _USED], env=environ, capture_output=True, text=True, check=True
    )
    assert done.stdout.split("\n")[:3] == ["a keyring in a file", KEPT, "None"]


SESAME, BEARER, SERVE_TOKEN = "open sesame", "tell-nobody-1", "ask-everybody-2"
SECRETS = {"PRESSYNC_PASSWORD": SESAME, "PRESSYNC_SERVE_TOKEN": SERVE_TOKEN}


class Machine:
    """A repository, and a PATH whose Git notes what it inherits before it is Git."""

    def __init__(self, repository: SampleRepository, folder: Path) -> None:
        self._repository = repository
        self._seen = folder / "seen.txt"
        self.program = folder / "git"
        self.program.write_text(f'#!/bin/sh\nenv >> "{self._seen}"\nexec {shutil.which("git")} "$@"\n')
        self.program.chmod(0o755)
        path = f"{folder}{os.pathsep}{os.environ['PATH']}"
        self.environ = {**os.environ, **SECRETS, "PATH": path}

    def run(self, *arguments: str, exits: int = 0, said: str = "") -> str:
        """Run pressync as a process; what its children inherited, by then."""
        done = subprocess.run(
            [sys.executable, "-m", "pressync", *arguments],
            cwd=self._repository.root,
            env=self.environ,
            input=said,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == exits, done.stderr
        return self._seen.read_text() if self._seen.exists() else ""


def assert_no_secret(inherited: str) -> None:
    assert "PATH=" in inherited, "no child was seen"
    for word in (SESAME, BEARER, SERVE_TOKEN, *SECRETS, "PRESSYNC_TOKEN"):
        assert word not in inherited


@pytest.fixture
def machine(repository: SampleRepository, tmp_path: Path) -> Machine:
    repository.commit({"content/pages/about.md": "# About\n"})
    folder = tmp_path / "bin"
    folder.mkdir()
    return Machine(repository, folder)


@pytest.fixture
def strict(machine: Machine) -> Iterator[StrictService]:
    with serving() as service:
        service.authorization = header("editor", SESAME).reveal()
        machine.environ |= {"PRESSYNC_URL": service.url, "PRESSYNC_USER": "editor"}
        yield service


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(words, marks=pytest.mark.sweep)
        for words in (["status"], ["check"], ["config"], ["hook", "install"], ["redirects"])
    ],
    ids=lambda words: words[0],
)
def test_git_does_not_inherit_the_password(machine: Machine, words: list[str]) -> None:
    assert_no_secret(machine.run(*words))


@pytest.mark.sweep
def test_a_sync_and_a_hook_still_have_the_password_and_hand_it_to_nobody(
    machine: Machine, strict: StrictService, repository: SampleRepository
) -> None:
    for words in (["plan"], ["sync", "--yes"], ["sync", "--yes"], ["hook", "install", "--branch", "main"]):
        assert_no_secret(machine.run(*words))
    assert len(strict.pages) == 1
    repository.commit({"content/pages/new.md": "# New\n"})
    assert_no_secret(machine.run("hook", "run", "post-commit", "--branch", "main"))
    assert len(strict.pages) == 2


@pytest.mark.sweep
def test_a_token_is_taken_out_as_well(machine: Machine, strict: StrictService) -> None:
    strict.authorization = f"Bearer {BEARER}"
    machine.environ["PRESSYNC_TOKEN"] = BEARER
    assert_no_secret(machine.run("sync", "--yes"))
    assert len(strict.pages) == 1


@pytest.mark.sweep
def test_a_password_command_inherits_no_other_secret(
    repository: SampleRepository, machine: Machine, strict: StrictService
) -> None:
    del machine.environ["PRESSYNC_PASSWORD"], machine.environ["PRESSYNC_URL"]
    command = machine.program.with_name("ask")
    command.write_text(f'#!/bin/sh\nenv >> "{machine.program.with_name("asked.txt")}"\necho {SESAME}\n')
    command.chmod(0o755)
    table = f'[sites.live]\nurl = "{strict.url}"\nuser = "editor"\npassword_command = ["{command}"]\n'
    repository.commit({"pressync.toml": table})
    machine.run("sync", "--yes")
    assert len(strict.pages) == 1
    assert SERVE_TOKEN not in machine.program.with_name("asked.txt").read_text()


@pytest.mark.sweep
def test_a_detached_server_has_its_own_token_alone(machine: Machine) -> None:
    folder = machine.program.parent / "site"
    machine.run("serve", "--detach", "--port", "0", "--data", str(folder))
    try:
        assert_no_secret(machine.run("plan"))
        pid = (folder / "running.json").read_text().split('"pid": ')[1].split(",")[0]
        if os.path.exists(f"/proc/{pid}/environ"):  # noqa: PTH110 - not where there is no /proc
            with open(f"/proc/{pid}/environ") as given:  # noqa: PTH123 - the same
                inherited = given.read()
            assert SESAME not in inherited
            assert SERVE_TOKEN in inherited
    finally:
        machine.run("serve", "--stop", "--data", str(folder))
