"""Measure a first sync to a real WordPress beside a loop of `wp_insert_post` in PHP on the same machine.

Run it by hand: `python benchmarks/wordpress.py FOLDER [PAGES] [--json FILE]`. FOLDER has WordPress's
`wp-load.php`; PRESSYNC_URL, PRESSYNC_USER and PRESSYNC_PASSWORD name the same site for pressync. The loop has
no HTTP, no authentication, no JSON and no journal, and it uses one process. All pages of the benchmark are
deleted again.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import measure
import trees

from pressync.app.revision import Revision
from pressync.app.workspace import Workspace

_ROUNDS = 3
_SETTINGS = '[sites.bench]\nurl = "{url}"\ndialect = "wordpress"\nallow_http = true\n'
_DELETE = "foreach ($ids as $id) wp_delete_post($id, true);"
_INSERT = """
$from = hrtime(true);
$all = ['post_type' => 'page', 'post_status' => 'publish'];
foreach ($pages as $page) $ids[] = wp_insert_post(wp_slash($page + $all));
$seconds = (hrtime(true) - $from) / 1e9;
"""
_PHP = """
$_SERVER['HTTP_HOST'] = %s; $_SERVER['REQUEST_URI'] = '/';
define('WP_USE_THEMES', false);
require %s . '/wp-load.php';
wp_set_current_user(1);
$pages = json_decode(stream_get_contents(STDIN), true); $ids = $pages['ids'] ?? []; $seconds = 0;
%s
echo json_encode(['ids' => $ids, 'seconds' => $seconds]);
"""


def main() -> None:
    """Print the seconds of both, and their ratio."""
    home, count = Path(sys.argv[1]), int(sys.argv[2]) if sys.argv[2:] and sys.argv[2].isdigit() else 300
    loop = sync = work = 1e9
    for _ in range(_ROUNDS):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder, "site")
            trees.make(root, count)
            (root / "pressync.toml").write_text(
                _SETTINGS.format(url=os.environ["PRESSYNC_URL"]), encoding="utf-8"
            )
            trees.git(root, "add", "--all")
            trees.git(root, "commit", "--quiet", "-m", "Settings")
            done = _php(home, _INSERT + _DELETE, _rendered(root))
            loop = min(loop, float(str(done["seconds"])))
            begun = time.perf_counter()
            spent = measure.cost(root, (sys.executable, "-m", "pressync", "sync", "--yes"))
            sync, work = min(sync, time.perf_counter() - begun), min(work, spent.work)
            _php(home, _DELETE, {"ids": _ids(root)})
    ratio = sync / loop
    print(f"{count} pages: wp_insert_post {loop:.1f} s, pressync sync {sync:.1f} s ({ratio:.2f}x)")
    print(f"client: {work / count * 1e3:.2f} ms of CPU a record, start, plan, Git and manifest included")
    measure.report({"sync / loop of wp_insert_post": ratio}, {})


def _php(home: Path, code: str, given: object) -> dict[str, object]:
    host = os.environ["PRESSYNC_URL"].split("/")[2]
    script = _PHP % (json.dumps(host), json.dumps(str(home)), code)
    done = subprocess.run(
        ("php", "-r", script), input=json.dumps(given), capture_output=True, text=True, check=True
    )
    found: dict[str, object] = json.loads(done.stdout[done.stdout.index("{") :])
    return found


def _rendered(root: Path) -> list[dict[str, object]]:
    with Workspace.open(root, environ={}) as workspace, workspace.reading() as state:
        content = workspace.content(Revision())
        pages = (content.prepare(path, state.manifest.entries).fields for path in content.sources)
        return [
            {"post_title": page["title"], "post_name": page["slug"], "post_content": page["content"]}
            for page in pages
        ]


def _ids(root: Path) -> list[int]:
    document = json.loads((root / ".pressync/bench.json").read_text(encoding="utf-8"))
    records = document["records"]
    return [record["id"] for record in (records.values() if isinstance(records, dict) else records)]


if __name__ == "__main__":
    main()
