"""A headless Chromium: it opens pages, presses keys and takes pictures.

The browser speaks its debugging protocol on two pipes, so no port and no other program is needed.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# Debian and macOS give the program different names.
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
# Headless, as root, and without looking for anything outside of this machine.
_FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update", "--remote-debugging-pipe"),
    # Every name but loopback is unknown, so that no test can reach the network.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)
# Pixels; a picture of a longer page is cut, because Chromium fails on one of 16,384.
_HIGHEST = 16_000
_CODES = {"Enter": ("\r", 13), "Escape": ("", 27), "Tab": ("", 9)}


class BrowserFailed(Exception):  # noqa: N818 - the name says what happened
    """The browser refused a call, or ended."""


def find_browser() -> str:
    """Give the path of a Chromium on this machine; "" if there is none."""
    return next(filter(None, map(shutil.which, NAMES)), "")


class Browser:
    """One tab. `requested` are the addresses that the page and its frames asked for."""

    def __init__(self, sending: int, receiving: int) -> None:
        self._sending, self._receiving = sending, os.fdopen(receiving, "rb", buffering=0)
        self._waiting = b""
        self._number = 0
        self._session: str | None = None
        self.requested: list[str] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.call("Network.enable")
        self.call("Page.enable")

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
        """Call one method of the protocol and give its result."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._sending, json.dumps(message).encode() + b"\0")
        while True:
            said = self._said()
            if said.get("method") == "Network.requestWillBeSent":
                self.requested.append(said["params"]["request"]["url"])
            if said.get("id") == self._number:
                if "error" in said:
                    raise BrowserFailed(f"{method}: {said['error']}")
                return dict(said["result"])

    def open(self, address: str) -> None:
        """Open a page, and return when it has loaded."""
        self.call("Page.navigate", url=address)
        self.wait("document.readyState === 'complete' && location.href !== 'about:blank'")

    def ask(self, expression: str) -> Any:  # noqa: ANN401 - JSON
        """Give the value of an expression in the page."""
        found = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in found:
            raise BrowserFailed(f"{expression}: {found['exceptionDetails']}")
        return found["result"].get("value")

    def wait(self, expression: str) -> None:
        """Return when an expression is true; the browser itself looks after every frame."""
        look = f"const look = () => ({expression}) ? done(true) : setTimeout(look, 20);"
        asked = f"new Promise((done) => {{ {look} look(); }})"
        for _ in range(20):
            try:
                self.ask(asked)
            except BrowserFailed as error:
                # A page that is left forgets what it was asked.
                if "context" not in str(error) and "navigat" not in str(error):
                    raise
            else:
                return
        raise BrowserFailed(f"the page was left again and again before {expression}")

    def press(self, key: str) -> None:
        """Press one key."""
        text, code = _CODES.get(key, (key, ord(key[0].upper())))
        down = {"key": key, "windowsVirtualKeyCode": code, **({"text": text} if text else {})}
        self.call("Input.dispatchKeyEvent", type="keyDown", **down)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code)

    def type(self, text: str) -> None:
        """Type a text."""
        for key in text:
            self.press(key)

    def screen(self, width: int, height: int, *, dark: bool = False) -> None:
        """Sit before another screen."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])

    def picture(self, file: Path, *, whole: bool = False) -> None:
        """Take a picture of the screen, or of the `whole` page, as a PNG file."""
        asked: dict[str, Any] = {"format": "png", "captureBeyondViewport": whole}
        if whole:
            size = self.call("Page.getLayoutMetrics")["cssContentSize"]
            height = min(size["height"], _HIGHEST)
            asked["clip"] = {"x": 0, "y": 0, "width": size["width"], "height": height, "scale": 1}
        file.write_bytes(base64.b64decode(self.call("Page.captureScreenshot", **asked)["data"]))

    def frames(self) -> list[str]:
        """Give the addresses of the frames in the page."""
        tree = self.call("Page.getFrameTree")["frameTree"]
        return [child["frame"]["url"] for child in tree.get("childFrames", [])]

    def _said(self) -> dict[str, Any]:
        while b"\0" not in self._waiting:
            more = self._receiving.read(1 << 20)
            if not more:
                raise BrowserFailed("the browser has ended")
            self._waiting += more
        message, _, self._waiting = self._waiting.partition(b"\0")
        return dict(json.loads(message))


@contextmanager
def browser(directory: Path, program: str = "") -> Iterator[Browser]:
    """Start a browser with its profile in a folder, and end it; `program` is its path, if it is known.

    :raises BrowserFailed: there is none on this machine, or it does not start.
    """
    program = program or find_browser()
    if not program:
        raise BrowserFailed("there is no Chromium on this machine")
    their_in, our_out = os.pipe()
    our_in, their_out = os.pipe()
    # It reads from descriptor 3 and writes to descriptor 4.
    shell = f'exec "$@" 3<&{their_in} 4>&{their_out}'
    command = ["bash", "-c", shell, "bash", program, *_FLAGS, f"--user-data-dir={directory / 'profile'}"]
    process = subprocess.Popen(
        command, pass_fds=(their_in, their_out), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    os.close(their_in)
    os.close(their_out)
    try:
        person = Browser(our_out, our_in)
        yield person
    finally:
        process.kill()
        process.wait()
        os.close(our_out)
