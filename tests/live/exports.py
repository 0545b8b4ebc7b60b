"""Exports a site of the stand as WordPress does for a person who clicks on Tools, Export."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from tests.live.sites import Site

# The page of the dashboard calls the same function.
_SCRIPT = """\
[, $root, $host] = $argv;
$_SERVER += ['HTTP_HOST' => $host, 'SERVER_NAME' => $host, 'REQUEST_URI' => '/', 'REQUEST_METHOD' => 'GET',
    'SERVER_PROTOCOL' => 'HTTP/1.1'];
require "$root/wp-load.php";
require ABSPATH . 'wp-admin/includes/export.php';
export_wp(['content' => 'all']);
"""


def export(site: Site, file: Path) -> Path:
    """Write the export of a whole site into a file, and give the file."""
    root, host = site.folder / "usr/share/wordpress", site.url.removeprefix("http://")
    command = ["runuser", "-u", "www-data", "--", "php", "-r", _SCRIPT, str(root), host]
    done = subprocess.run(command, check=True, capture_output=True)
    file.write_bytes(done.stdout)
    return file
