"""A headless Chromium: it opens pages, presses keys and takes pictures.

The browser speaks its debugging protocol on two pipes, so no port and no other program is needed. The pages
may have scripts of strangers. So the browser reaches this machine alone, and an answer has a limited time.
"""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from pressync.config import environment

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# Systems give the program different names. On macOS it is in no folder of PATH.
NAMES = (
    *("chromium", "chromium-browser", "google-chrome", "google-chrome-stable"),
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
# Headless, and without looking for anything outside of this machine.
_FLAGS = (
    *("--headless", "--disable-gpu", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update", "--remote-debugging-pipe"),
    # Every name but loopback is unknown, so that no page can reach the network.
    *("--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "--no-proxy-server"),
)
# Root has no sandbox: Chromium does not start for it otherwise.
_FOR_ROOT = "--no-sandbox"
# The seconds for one answer. A page that loads a large picture on a slow machine needs some.
_PATIENCE = 60.0
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
        with suppress(BrokenPipeError):
            os.write(self._sending, json.dumps(message).encode() + b"\0")
        until = time.monotonic() + _PATIENCE
        while True:
            said = self._said(until)
            if said.get("method") == "Network.requestWillBeSent":
                self.requested.append(said["params"]["request"]["url"])
            if said.get("id") == self._number:
                if "error" in said:
                    raise BrowserFailed(f"{method}: {said['error']}")
                return dict(said["result"])

    def open(self, address: str) -> None:
        """Open a page, and return when it has loaded."""
        said = self.call("Page.navigate", url=address)
        if "errorText" in said:
            raise BrowserFailed(f"the page does not open: {said['errorText']}")
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
            asked["clip"] = self._clip()
        file.write_bytes(self._shot(asked))

    def thumbnail(self, width: int, height: int) -> bytes:
        """Give a small picture of the top of the page as JPEG, at most so many pixels wide and high."""
        whole = self._clip()
        scale = width / whole["width"]
        clip = {**whole, "height": min(whole["height"], height / scale), "scale": scale}
        asked = {"format": "jpeg", "quality": 70, "captureBeyondViewport": True, "clip": clip}
        return self._shot(asked)

    def _clip(self) -> dict[str, float]:
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        return {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], _HIGHEST), "scale": 1}

    def _shot(self, asked: dict[str, Any]) -> bytes:
        return base64.b64decode(self.call("Page.captureScreenshot", **asked)["data"])

    def frames(self) -> list[str]:
        """Give the addresses of the frames in the page."""
        tree = self.call("Page.getFrameTree")["frameTree"]
        return [child["frame"]["url"] for child in tree.get("childFrames", [])]

    def _said(self, until: float) -> dict[str, Any]:
        while b"\0" not in self._waiting:
            if not select.select([self._receiving], [], [], max(0.0, until - time.monotonic()))[0]:
                raise BrowserFailed(f"the browser does not answer within {_PATIENCE:.0f} s")
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
    flags = [*_FLAGS, *([_FOR_ROOT] if os.geteuid() == 0 else []), f"--user-data-dir={directory / 'profile'}"]
    process = subprocess.Popen(
        ["bash", "-c", shell, "bash", program, *flags],
        pass_fds=(their_in, their_out),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment.for_others(),
        # Ctrl-C at the terminal is for pressync. The browser ends when its pipes are closed.
        start_new_session=True,
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
