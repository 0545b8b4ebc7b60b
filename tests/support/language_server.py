"""A small client of the Language Server Protocol: it opens one text, and asks as an editor does."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Mapping

# The folder of `npm install @taplo/cli yaml-language-server`; without it, the servers are looked for on PATH.
FOLDER = "PRESSYNC_LANGUAGE_SERVERS"


def found(name: str) -> str | None:
    """Give the path of a language server, or None if it is not on this machine."""
    folder = os.environ.get(FOLDER)
    own = [str(Path(folder, "node_modules/.bin"))] if folder else []
    return shutil.which(name, path=os.pathsep.join([*own, os.environ.get("PATH", "")]))


class LanguageServer:
    """A running language server, with the answers to its own questions about settings."""

    def __init__(self, *command: str, root: Path, settings: Mapping[str, object]) -> None:
        self._settings, self.root, self._numbers = settings, root, count(1)
        self.diagnostics: dict[str, list[dict[str, Any]]] = {}
        # The messages that it wants a person to see.
        self.said: list[str] = []
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=root
        )
        capabilities = {
            "textDocument": {
                "completion": {"completionItem": {"documentationFormat": ["markdown"]}},
                "hover": {"contentFormat": ["markdown"]},
                "publishDiagnostics": {},
            },
            "workspace": {"configuration": True, "workspaceFolders": True},
        }
        folders = [{"uri": root.as_uri(), "name": "repository"}]
        self.ask(
            "initialize",
            processId=os.getpid(),
            rootUri=root.as_uri(),
            workspaceFolders=folders,
            capabilities=capabilities,
        )
        self._tell("initialized")
        self._tell("workspace/didChangeConfiguration", settings=settings)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()

    def open(self, path: str, text: str, language: str) -> list[dict[str, Any]]:
        """Open a text under a path of the repository, and wait for the marks in it."""
        uri = (self.root / path).as_uri()
        self.diagnostics.pop(uri, None)
        self._tell(
            "textDocument/didOpen",
            textDocument={"uri": uri, "languageId": language, "version": 1, "text": text},
        )
        while uri not in self.diagnostics:
            self._receive()
        return self.diagnostics[uri]

    def complete(self, path: str, line: int, character: int) -> list[dict[str, Any]]:
        """Ask for the completions at a place; lines and characters begin at 0."""
        answer = self.ask("textDocument/completion", **self._place(path, line, character))
        return list(answer["items"] if isinstance(answer, dict) else answer or ())

    def change(self, path: str, text: str, version: int) -> list[dict[str, Any]]:
        """Replace the whole text, as somebody who types does, and wait for the marks in it."""
        uri = (self.root / path).as_uri()
        self.diagnostics.pop(uri, None)
        document = {"uri": uri, "version": version}
        self._tell("textDocument/didChange", textDocument=document, contentChanges=[{"text": text}])
        while uri not in self.diagnostics:
            self._receive()
        return self.diagnostics[uri]

    def save(self, path: str) -> list[dict[str, Any]]:
        """Say that the file was saved, and wait for the marks in it."""
        uri = (self.root / path).as_uri()
        self.diagnostics.pop(uri, None)
        self._tell("textDocument/didSave", textDocument={"uri": uri})
        while uri not in self.diagnostics:
            self._receive()
        return self.diagnostics[uri]

    def definition(self, path: str, line: int, character: int) -> tuple[str, int] | None:
        """Ask where the link at a place leads: the path in the repository, and the line."""
        answer = self.ask("textDocument/definition", **self._place(path, line, character))
        if not answer:
            return None
        return answer["uri"].removeprefix(f"{self.root.as_uri()}/"), answer["range"]["start"]["line"]

    def hover(self, path: str, line: int, character: int) -> str:
        """Ask for the text beside the pointer; "" if there is none."""
        answer = self.ask("textDocument/hover", **self._place(path, line, character))
        return str(answer["contents"]["value"]) if answer else ""

    def ask(self, method: str, **params: Any) -> Any:  # noqa: ANN401 - any JSON
        """Send a request, and give its result."""
        number = next(self._numbers)
        self._send({"id": number, "method": method, "params": params})
        while True:
            message = self._receive()
            if message.get("id") == number and "method" not in message:
                assert "error" not in message, message
                return message.get("result")

    def refused(self, method: str, params: object) -> str:
        """Send a request that cannot be answered, and give the words of the error."""
        number = next(self._numbers)
        self._send({"id": number, "method": method, "params": params})
        while True:
            message = self._receive()
            if message.get("id") == number and "method" not in message:
                return str(message["error"]["message"])

    def end(self) -> int:
        """Ask it to end as an editor does, and give its exit code."""
        self.ask("shutdown")
        self._tell("exit")
        return self._process.wait(20)

    def _place(self, path: str, line: int, character: int) -> dict[str, Any]:
        return {
            "textDocument": {"uri": (self.root / path).as_uri()},
            "position": {"line": line, "character": character},
        }

    def _tell(self, method: str, **params: Any) -> None:  # noqa: ANN401 - any JSON
        self._send({"method": method, "params": params})

    def _send(self, message: Mapping[str, object]) -> None:
        data = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self._process.stdin
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(data), data))
        self._process.stdin.flush()

    def _receive(self) -> dict[str, Any]:
        """Read the next message; answer it if it asks for settings, and keep its marks."""
        assert self._process.stdout
        length = 0
        while line := self._process.stdout.readline().strip():
            name, _, value = line.partition(b":")
            length = int(value) if name.lower() == b"content-length" else length
        assert length, "the language server has ended"
        message: dict[str, Any] = json.loads(self._process.stdout.read(length))
        if message.get("method") == "textDocument/publishDiagnostics":
            self.diagnostics[message["params"]["uri"]] = message["params"]["diagnostics"]
        elif message.get("method") == "window/showMessage":
            self.said.append(message["params"]["message"])
        elif "method" in message and "id" in message:
            self._send({"id": message["id"], "result": self._answer(message)})
        return message

    def _answer(self, message: Mapping[str, Any]) -> object:
        if message["method"] != "workspace/configuration":
            return None
        return [self._settings.get(item.get("section", "")) for item in message["params"]["items"]]
