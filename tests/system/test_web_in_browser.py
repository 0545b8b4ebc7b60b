"""The web pages of the embedded service in a real browser, with a hostile text in them."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from pressync.model.interface import Kind
from pressync.stage.server.server import running

if TYPE_CHECKING:
    from pathlib import Path

BROWSER = shutil.which("chromium") or ""
SCRIPT = "document.title='taken'"
HOSTILE = f"""\
<p id="here">text</p><img src="data:,x" onerror="{SCRIPT}"><svg onload="{SCRIPT}"></svg>
<script>{SCRIPT}</script><details open ontoggle="{SCRIPT}"><summary>x</summary></details>
<meta http-equiv="refresh" content="0;url=data:text/html,gone"><style>.masthead {{ display: none }}</style>
</div></article></main></div><!--"""


@pytest.mark.sweep
@pytest.mark.timeout(300)
@pytest.mark.skipif(not BROWSER, reason="there is no chromium on this machine")
def test_a_hostile_text_runs_no_script_and_leaves_the_frame_alone(tmp_path: Path) -> None:
    with running(tmp_path / "site.db", title="Field Notes", dialect="both") as up:
        up.store.create(Kind.PAGE, {"title": {"raw": "Hostile"}, "content": {"raw": HOSTILE}})
        flags = ("--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=3000")
        command = (BROWSER, *flags, f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom")
        page = f"{up.site}/hostile/"
        text = subprocess.run([*command, page], capture_output=True, text=True, check=True).stdout
    assert '<p id="here">' in text
    assert "<title>Hostile · Field Notes</title>" in text
    assert text.index('<p id="here">') < text.index("</main>") < text.index('<footer class="colophon">')
    assert "display: none" not in text
