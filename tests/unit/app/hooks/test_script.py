"""The text of a hook: any POSIX shell runs it, and `pressync hook run` reads back the setup in it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pressync.app.hooks import installation
from pressync.app.hooks.installation import TYPES, Setup

ODD = Setup(("live", "trial"), "it's/a\u2028branch", 2.5, commit=True, config_file=Path("/srv/a dir/x.toml"))


@pytest.mark.parametrize("hook_type", TYPES)
def test_a_shell_can_read_every_hook_and_we_can_read_its_words_again(hook_type: str, tmp_path: Path) -> None:
    hook = tmp_path / hook_type
    hook.write_text(installation.script(hook_type, ODD), encoding="utf-8")
    subprocess.run(["/bin/sh", "-n", hook], check=True)
    assert installation.is_ours(hook)
    assert "@" not in hook.read_text(encoding="utf-8").replace('"$@"', "").replace("HEAD@{1}", "")
    words = installation.words_of(hook)
    assert words[-12:] == [
        *("hook", "run", hook_type, "--site", "live", "--site", "trial"),
        *("--branch", "it's/a\u2028branch", "--commit", "--time-limit", "2.5"),
    ]
    assert words[: len(installation.program())] == installation.program()
    assert "/srv/a dir/x.toml" in words


def test_the_program_is_the_one_that_runs_now() -> None:
    said = subprocess.run(
        [*installation.program(), "--version"], capture_output=True, text=True, check=True
    ).stdout
    assert said.startswith("pressync")
    assert Path(installation.program()[0]).parent == Path(sys.executable).parent
    assert installation.python()[:2] == [sys.executable, "-P"]


@pytest.mark.parametrize("there", [True, False])
def test_a_program_that_is_gone_is_looked_for_on_path_and_that_is_said(
    there: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(installation, "program", lambda: [str(tmp_path / "gone" / "pressync")])
    hook = tmp_path / "post-commit"
    hook.write_text(installation.script("post-commit", Setup(branch="main")), encoding="utf-8")
    if there:
        other = tmp_path / "pressync"
        other.write_text('#!/bin/sh\necho "$@"\n', encoding="utf-8")
        other.chmod(0o755)
    done = subprocess.run(
        ["/bin/sh", hook],
        cwd=tmp_path,
        env={"PATH": f"{tmp_path}:{os.environ['PATH']}" if there else "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert f"{tmp_path}/gone/pressync is gone" in done.stderr
    assert done.stdout == ("hook run post-commit --branch main --time-limit 60\n" if there else "")


def test_a_link_to_a_hook_of_ours_and_a_hook_of_others_are_not_ours(tmp_path: Path) -> None:
    ours, link, other = tmp_path / "ours", tmp_path / "link", tmp_path / "other"
    ours.write_text(installation.script("post-commit", ODD), encoding="utf-8")
    link.symlink_to(ours)
    other.write_text("#!/bin/sh\npressync sync\n", encoding="utf-8")
    found = [installation.is_ours(file) for file in (ours, link, other, tmp_path / "none")]
    assert found == [True, False, False, False]
    # Somebody has broken its quotation.
    ours.write_text(ours.read_text(encoding="utf-8").replace("'it'", "'it"), encoding="utf-8")
    assert installation.words_of(ours) == []
