"""Serves an editor by the Language Server Protocol, on standard input and output.

The package `pygls` is optional, so it is loaded here, and this module where it is used. The protocol owns
standard output, so everything else that prints goes to standard error. A request that fails is answered with
an error, and the next one is served.
"""

from __future__ import annotations

import asyncio
import os
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from lsprotocol import types
from pygls import uris
from pygls.lsp.server import LanguageServer

from pressync import __version__
from pressync.app.open_text import MOST_OFFERS, Cursor, SavedTree, line_of
from pressync.cli import console
from pressync.model.errors import PressyncError, Problem
from pressync.model.printable import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pressync.app.workspace import Workspace
    from pressync.cli import options

# Seconds without a key before a text is read.
_PAUSE = 0.2
_TRIGGERS = ["(", "[", "/", ":", " ", "-"]


class _Asked(Protocol):
    """A request about a place in an open text."""

    text_document: types.TextDocumentIdentifier
    position: types.Position


class TextServer(LanguageServer):
    """A server with the tree that was last saved; None while the settings cannot be read."""

    def __init__(self, globals_: options.Globals) -> None:
        super().__init__("pressync", __version__)
        self._globals = globals_
        self._workspace: Workspace | None = None
        self._root: Path | None = None
        self._complaint = ""
        self.saved: SavedTree | None = None

    def renew(self) -> None:
        """Read the tree again; if that fails, say so once, and go on with the tree of before."""
        try:
            workspace = console.open_workspace(self._globals)
            saved = SavedTree.of(workspace)
        except PressyncError as error:
            if self._complaint != str(error):
                self._complaint = str(error)
                message = types.ShowMessageParams(types.MessageType.Error, printable(f"pressync: {error}"))
                self.window_show_message(message)
            return
        self.close()
        root = workspace.repository.root
        self._workspace, self._root, self._complaint = workspace, root and root.resolve(), ""
        self.saved = saved

    def close(self) -> None:
        """Let go of the repository."""
        if self._workspace:
            self._workspace.__exit__()
        self._workspace = None

    def path(self, uri: str) -> str:
        """Give the path of a document in the repository; "" if it is not in it."""
        name = uris.to_fs_path(uri)
        if not name or self._root is None:
            return ""
        file = Path(name).resolve()
        return file.relative_to(self._root).as_posix() if file.is_relative_to(self._root) else ""

    def uri(self, path: str) -> str:
        """Give the address of a file of the repository for the editor."""
        return (self._root or Path()).joinpath(path).as_uri()

    def asked(self, params: _Asked) -> tuple[SavedTree | None, str, Cursor]:
        """Give the path and the place, in characters, of a request, and the tree that knows of them."""
        uri = params.text_document.uri
        lines, path = self.workspace.get_text_document(uri).lines, self.path(uri)
        position = self.workspace.position_codec.position_from_client_units(lines, params.position)
        return self.saved if path else None, path, Cursor(lines, position.line, position.character)

    def tell(self, uri: str) -> None:
        """Send the problems of an open text."""
        document, path = self.workspace.get_text_document(uri), self.path(uri)
        problems = self.saved.problems(path, document.source) if self.saved and path else ()
        diagnostics = [_diagnostic(problem, document.lines) for problem in problems]
        params = types.PublishDiagnosticsParams(uri, diagnostics, version=document.version)
        self.text_document_publish_diagnostics(params)


def _diagnostic(problem: Problem, lines: Sequence[str]) -> types.Diagnostic:
    number = min(max(problem.line - 1, 0), max(len(lines) - 1, 0))
    end = types.Position(number + 1, 0)
    if number >= len(lines) - 1:
        # The last line may lack a line break. An editor takes a column beyond the line for its end.
        end = types.Position(number, len(lines[number]) * 2 if lines else 0)
    return types.Diagnostic(
        types.Range(types.Position(number, 0), end),
        printable("; ".join(filter(None, (problem.what, problem.todo)))),
        severity=types.DiagnosticSeverity.Warning if problem.warning else types.DiagnosticSeverity.Error,
        code=str(problem.code.value),
        source="pressync",
    )


def _filtered(typed: str, text: str) -> str:
    return text if text.lower().startswith(typed.lower()) else typed + text


def server_of(globals_: options.Globals) -> TextServer:
    """Make a server that knows what editors ask."""
    server = TextServer(globals_)
    _follow(server)

    @server.feature(types.TEXT_DOCUMENT_COMPLETION, types.CompletionOptions(trigger_characters=_TRIGGERS))
    def complete(params: types.CompletionParams) -> types.CompletionList:
        saved, path, place = server.asked(params)
        offers = saved.offers(path, place) if saved else []
        codec, items = server.workspace.position_codec, []
        end = codec.position_to_client_units(place.lines, types.Position(place.line, place.column))
        for number, offer in enumerate(offers):
            start = types.Position(place.line, offer.start)
            range_ = types.Range(codec.position_to_client_units(place.lines, start), end)
            items.append(
                types.CompletionItem(
                    offer.text.rstrip(": "),
                    detail=printable(offer.about),
                    # An editor sorts by this, and filters by the text that is there.
                    sort_text=f"{number:04}",
                    filter_text=_filtered(place.before[offer.start :], offer.text),
                    text_edit=types.TextEdit(range_, offer.text),
                )
            )
        return types.CompletionList(len(offers) == MOST_OFFERS, items)

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    def hover(params: types.HoverParams) -> types.Hover | None:
        saved, path, place = server.asked(params)
        said = saved.about(path, place) if saved else ""
        return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, said)) if said else None

    @server.feature(types.TEXT_DOCUMENT_DEFINITION)
    def definition(params: types.DefinitionParams) -> types.Location | None:
        saved, path, place = server.asked(params)
        target = saved.target(path, place) if saved else None
        if target is None:
            return None
        file, fragment = target
        uri = server.uri(file)
        lines = server.workspace.get_text_document(uri).lines if fragment else []
        start = types.Position(line_of(lines, fragment.removeprefix("#")), 0)
        return types.Location(uri, types.Range(start, start))

    return server


def _follow(server: TextServer) -> None:
    """Read the tree again when a file is opened or saved, and each text when somebody stops typing."""

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: types.DidOpenTextDocumentParams) -> None:
        server.renew()
        server.tell(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def saved(_params: types.DidSaveTextDocumentParams) -> None:
        server.renew()
        for uri in list(server.workspace.text_documents):
            server.tell(uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    async def changed(params: types.DidChangeTextDocumentParams) -> None:
        uri, version = params.text_document.uri, params.text_document.version
        await asyncio.sleep(_PAUSE)
        document = server.workspace.text_documents.get(uri)
        if document and document.version == version:
            server.tell(uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: types.DidCloseTextDocumentParams) -> None:
        server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(params.text_document.uri, []))


def serve(globals_: options.Globals) -> None:
    """Answer an editor until it ends."""
    server = server_of(globals_)
    try:
        # The server closes its stream at the end, and the program still writes out its own.
        with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as out, redirect_stdout(sys.stderr):
            server.start_io(sys.stdin.buffer, out)
    finally:
        server.close()
