"""An export's items in a real WordPress, as they are: what it shows of them is what the import carries."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from tests.support.exports import cdata, export, record
from tests.tools.judge import compared

if TYPE_CHECKING:
    from tests.live.sites import Site

_SCRIPT = Path(__file__).parent / "stand/wxr.php"
_TAG = '<category domain="post_tag" nicename="harbour">{}</category>'
ITEMS = {
    "classic": "One line\nand another.\n\nA paragraph &amp; <b>bold</b>\n<ul>\n<li>x</li>\n</ul>\nafter",
    "code": '<pre>a\n\n  b &lt;c&gt;</pre>\n\n[code lang="py"]\nif x:\n    y\n[/code]\n\n<code>a  b</code>',
    "picture": '[caption id="x" width="9"]<img src="https://e.test/a.png" alt="A" /> Below[/caption]\n\nEnd',
    "pages": "One\n<!--more-->\nTwo\n<!--nextpage-->\nThree",
    "blocks": "<!-- wp:heading -->\n<h2>Head</h2>\n<!-- /wp:heading -->\n\n<!-- wp:paragraph -->\n"
    "<p>Text</p>\n<!-- /wp:paragraph -->\n\n<!-- wp:table -->\n<figure><table><tbody><tr><td>1</td><td>2</td>"
    "</tr></tbody></table></figure>\n<!-- /wp:table -->",
    "links": '<a href="https://blog.test/classic/">there</a> and <a href="https://e.test/?a=1&amp;b=2">away</a>',
    "signs": '2 < 3 * 4_5_6 [brackets] \\ `ticks` #hash 1. one &#8212; it\'s "quoted" -- and...',
}
# The differences that may remain, by address and kind, each with its reason.
ACCEPTED = {
    ("/wxr-code/", "lost"): "a plug-in showed the shortcode as code, and the stand has none",
    ("/wxr-code/", "code"): "the same, on the other side",
}


def _shown(site: Site, file: Path, folder: Path) -> Path:
    """Let the site show the items of an export, and write them into a folder as a built site has them."""
    root, host = site.folder / "usr/share/wordpress", site.url.removeprefix("http://")
    script = _SCRIPT.read_text().removeprefix("<?php")
    command = ["runuser", "-u", "www-data", "--", "php", "-r", script, str(root), host]
    done = subprocess.run(command, check=True, capture_output=True, input=file.read_bytes())
    for path, page in json.loads(done.stdout).items():
        (folder / path.strip("/")).mkdir(parents=True)
        (folder / path.strip("/") / "index.html").write_text(page)
    return folder


def test_what_wordpress_shows_of_an_export_is_what_the_import_carries(
    wordpress: Site, tmp_path: Path
) -> None:
    records = [
        record(
            number,
            f"wxr-{name}",
            text,
            link=f"https://blog.test/wxr-{name}/",
            more=_TAG.format(cdata("Harbour")),
        )
        for number, (name, text) in enumerate(ITEMS.items(), 1)
    ]
    title = record(
        90, "wxr-title", "Text", title="A &amp; B <em>c</em> “d”", link="https://blog.test/wxr-title/"
    )
    file = tmp_path / "export.xml"
    file.write_text(export(*records, title))
    result = compared(file, _shown(wordpress, file, tmp_path / "site"), tmp_path / "repository")
    assert result["counts"]["list"] == result["counts"]["unread"] == 0
    found = [
        (page["address"], each["kind"], each["old"], each["new"])
        for page in result["pages"]
        for each in page["differences"]
        if (page["address"], each["kind"]) not in ACCEPTED
    ]
    assert found == []
