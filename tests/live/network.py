"""A network of sites (multisite) with the files and the database of a site of the stand, for one test."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import requests
from tests.live.sites import Site

if TYPE_CHECKING:
    from collections.abc import Iterator

_PHP = Path(__file__).with_name("stand") / "network.php"
# PHP looks at each file again, because a test changes the plug-in between two requests.
_SERVE = ("-d", "display_errors=0", "-d", "opcache.revalidate_freq=0", "-S")


@dataclass(frozen=True)
class Network:
    """The second site of a network, on which `plain` and `super`, a super admin, are contributors."""

    site: Site
    plugins: Path

    def plug_in(self, text: str) -> None:
        """Give the network this must-use plug-in, in the place of an earlier one."""
        (self.plugins / "rights.php").write_text(f"<?php {text}", encoding="utf-8")


@contextmanager
def network_of(site: Site, plugins: Path) -> Iterator[Network]:
    """Make a network and serve it; a test is skipped where PHP is not there, or where it has no port."""
    if site.name == "old":
        pytest.skip("WordPress 6.1 takes the port out of the addresses of a network")
    php = shutil.which("php")
    if php is None:
        pytest.skip("a network needs the program `php`, and it is not installed")
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = f"127.0.0.1:{free.getsockname()[1]}"
    place = {"ROOT": str(site.folder / "usr/share/wordpress"), "ADDRESS": address, "PLUGINS": str(plugins)}
    environ = {**os.environ, **place}
    made = [
        subprocess.run([php, _PHP, step], env=environ, check=True, stdout=subprocess.PIPE, text=True).stdout
        for step in ("tables", "site")
    ]
    passwords = dict(line.split("=", 1) for line in made[-1].splitlines())
    served = Site("network", f"http://{address}/sub", site.version, site.folder, passwords)
    with subprocess.Popen([php, *_SERVE, address, _PHP], env=environ, stderr=subprocess.DEVNULL) as server:
        try:
            _until_it_answers(served.url)
            yield Network(served, plugins)
        finally:
            server.terminate()


def _until_it_answers(url: str) -> None:
    for _ in range(100):
        try:
            requests.get(f"{url}/wp-json/", timeout=30).raise_for_status()
        except requests.ConnectionError:
            time.sleep(0.1)
        else:
            return
    raise TimeoutError(url)
