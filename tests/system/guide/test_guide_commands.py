"""The commands of the guide are typed by a shell, page by page and in order, from an empty folder.

A page that tells of a site that is there begins with the commands that make such a site. The address of the
site, https://example.org, is that of an embedded service. Nobody sits there, so a `sync` gets `--yes`.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support import guide_pages
from tests.support.share import share

from pressync.stage.server.app import WORDPRESS
from pressync.stage.server.server import running

_SHIM = """#!/bin/sh
case "$*" in *sync*--yes*|*--help*|*rehearse*) ;; "sync"|"sync "*) set -- "$@" --yes ;; esac
exec {python} -m pressync "$@"
"""
# Every example of an address is the one service.
_OURS = re.compile(r"https://(?:\w+\.)?example\.org")
_PROFILE = """
ended() { if [ "$1" != "$2" ]; then echo "=> ended with $1, not with $2"; exit 99; fi; }
edit() {
  number=$(curl -s "https://example.org/wp-json/wp/v2/pages?slug=$1&_fields=id" | tr -cd 0-9)
  address="https://example.org/wp-json/wp/v2/pages/$number"
  curl -s -o /dev/null "$address" -H 'Content-Type: application/json' -d "$2"
}
"""
_SITE = """
git init --quiet --initial-branch main site && cd site
pressync init --url https://example.org --user anna
mkdir -p content/pages/team content/pages/docs
rm content/pages/index.md
printf -- '---\\naliases: [/us.html]\\n---\\n# About us\\n' > content/pages/about.md
printf '\\nWe are open.\\n\\nWe bake.\\n\\nWe sell.\\n' >> content/pages/about.md
printf '# Team\\n' > content/pages/team/index.md
printf '# Anna\\n' > content/pages/team/anna.md
printf '# Docs\\n' > content/pages/docs/index.md
git add . && git commit --quiet --message Begin
"""
_SYNCED = f"{_SITE}pressync sync --yes\n"
_REMOTE = """
git init --quiet --bare --initial-branch main ../origin.git
git remote add origin ../origin.git && git add . && git commit --quiet --message Synced
git push --quiet --set-upstream origin main
"""
# What is there before the first command of a page; a page that is not named begins in an empty folder.
_SEEDED = """
for each in 1 2 3 4 5 6 7 8 9 10 11 about 13 team; do
  curl -s -o /dev/null https://example.org/wp-json/wp/v2/pages -H 'Content-Type: application/json' \\
    -d '{"title": "'$each'", "slug": "'$each'", "content": "<p>We are open.</p>", "status": "publish"}'
done
"""
BEGINNINGS = {
    "commands.md": f"{_SYNCED}printf 'https://example.org/%s\\n' about/ us.html gone/ > sitemap.xml\n"
    "mkdir -p ~/.config/fish/completions\n",
    "editors.md": "git init --quiet --initial-branch main site && cd site\n",
    "existing-sites.md": _SEEDED + _SITE,
    "exit-codes-and-json.md": _SYNCED,
    "index.md": f"{_SYNCED}echo 'We are closed on Sunday.' >> content/pages/about.md\n",
    "manifest.md": _SYNCED + _REMOTE,
    "moving-in.md": f"{_SEEDED}mkdir -p my-hugo-site/content/docs && touch my-hugo-site/hugo.toml\n"
    "printf -- '---\\ntitle: Install\\n---\\nIt is easy.\\n' > my-hugo-site/content/docs/install.md\n",
    "plan-and-sync.md": _SITE,
    "rehearse.md": _SYNCED,
    "safety.md": f"""{_SYNCED}text='<p>We are open from 9 to 4.</p><p>We bake.</p><p>We sell.</p>'
edit about '{{"content": "'"$text"'"}}'
perl -pi -e 's/We sell/We sell bread/' content/pages/about.md && git commit --quiet --all --message 'Invite'
""",
    "upgrading.md": _SYNCED,
}
# Deeds of others that a page tells of, by the command before which they happen.
MEANWHILE = {
    "your-blog.md": {
        "pressync plan --drift": """address=https://example.org/wp-json/wp/v2/posts
number=$(curl -s "$address?slug=first-loaf&_fields=id" | tr -cd 0-9)
curl -s "$address/$number?context=edit" | python3 -c '
import json, sys
text = json.load(sys.stdin)["content"]["raw"].replace("It was flat", "It was flat as a stone")
assert "<!-- wp:table" in text
print(json.dumps({"content": text}))' > ../edit
curl -s -o /dev/null "$address/$number" -H 'Content-Type: application/json' -d @../edit"""
    },
}
# Words that a page promises its reader.
SHOWN = {
    "your-blog.md": (
        "2 documents: 0 problems, 0 warnings; 2 of these and 1 other file are not committed.",
        "On the stage: Created category 'Bread'",
        "-Next time I wait longer.",
        "content changed on the site since the last sync",
        "+It was flat as a stone, and it was *good*.",
        "nothing to commit, working tree clean",
        "Nothing to do: 2 records are up to date",
    ),
}


@pytest.mark.parametrize("page", guide_pages.with_commands())
def test_every_block_of_commands_is_run_or_says_why_not(page: str) -> None:
    blocks = guide_pages.blocks(page)
    marked = [block for block in blocks if block.commands and block.reason is not None]
    assert [block.text for block in marked if len((block.reason or "").split()) < 3] == []
    typed = guide_pages.script(page)
    for block in blocks:
        for command in block.commands if block.reason is None else ():
            assert f"\n{command}\n" in typed


def test_a_command_with_another_end_than_the_page_says_ends_the_script(tmp_path: Path) -> None:
    done = _typed(tmp_path, "true\nended $? 1\necho not reached", "")
    assert done.returncode == 99
    assert "ended with 0, not with 1" in done.stdout
    assert "not reached" not in done.stdout


@pytest.mark.sweep
@pytest.mark.timeout(600)
@pytest.mark.parametrize("page", share(sorted({*guide_pages.with_commands()} - {"first-steps.md"}), 2))
def test_the_commands_of_a_page_work_as_written(page: str, tmp_path: Path) -> None:
    script = BEGINNINGS.get(page, "") + guide_pages.script(page, MEANWHILE.get(page))
    with running(tmp_path / "site.db", dialect=WORDPRESS, moves=True) as service:
        done = _typed(tmp_path, script, service.site)
    assert done.returncode == 0, done.stdout[-4000:]
    for words in SHOWN.get(page, ()):
        assert words in done.stdout


def _typed(folder: Path, script: str, address: str) -> subprocess.CompletedProcess[str]:
    home, program = folder / "home", folder / "bin/pressync"
    for each in (home, program.parent, folder / "empty"):
        each.mkdir()
    program.write_text(_SHIM.format(python=shlex.quote(sys.executable)), encoding="utf-8")
    program.chmod(0o755)
    (home / ".gitconfig").write_text("[user]\nname = Anna\nemail = anna@example.org\n", encoding="utf-8")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PRESSYNC_", "GIT"))}
    path = os.pathsep.join((str(program.parent), str(Path(sys.executable).parent), os.environ["PATH"]))
    try:
        return subprocess.run(
            ["bash", "-c", _OURS.sub(address, _PROFILE + script)],
            cwd=folder / "empty",
            env={**kept, "HOME": str(home), "PATH": path, "PRESSYNC_PASSWORD": "open sesame"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
    finally:
        for repository in folder.rglob(".git"):
            subprocess.run(
                [program, "-C", repository.parent, "serve", "--stop"], check=False, capture_output=True
            )
