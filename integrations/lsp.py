"""`attn-kata lsp`: a language server that underlines the line at fault at every save.

It runs nothing of the file itself: the judge does, in a process of its own.
"""

from __future__ import annotations

import os
import threading
from pathlib import Path

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path

from .. import __version__
from ..checker import Bench, Died, Finding, Options, Report, findings
from ..practice.errors import Refusal
from ..practice.pages import page_called, page_names
from ..practice.recognise import kata_of
from ..practice.record import Recorder
from ..practice.workspace import Workspace
from ..terminal.formats.places import message_of

__all__ = ["serve"]

_LEVELS = {
    "error": types.DiagnosticSeverity.Error,
    "note": types.DiagnosticSeverity.Information,
}


class _Server(LanguageServer):
    """Judges files as they are opened and saved; of several saves the last counts."""

    def __init__(self, language: str) -> None:
        super().__init__("attn-kata", __version__)
        self.language = language
        self.known = set(page_names())
        # What was found, by file: for the page that is shown where the pointer rests.
        self.found: dict[str, list[types.Diagnostic]] = {}
        self.turns: dict[str, int] = {}
        self.bench: Bench | None = None
        self.judging = threading.Lock()

    def asked(self, uri: str) -> None:
        """Judge a file, in a thread of its own, so that the editor is answered meanwhile."""
        self.turns[uri] = self.turns.get(uri, 0) + 1
        turn = self.turns[uri]
        threading.Thread(target=self._judge, args=(uri, turn), daemon=True).start()

    def _judge(self, uri: str, turn: int) -> None:
        path = to_fs_path(uri)
        if path is None:
            return
        file = Path(path)
        try:
            kata = kata_of(file, path, "check", functions=False).id
        except Refusal:
            # No kata's file: nothing is said of it.
            self.show(uri, [])
            return
        with self.judging:
            if self.turns[uri] != turn:
                return
            report = self._report(kata, file)
        if report is None or self.turns[uri] != turn:
            return
        Recorder(Workspace(), "watch", language=self.language).record(report, alone=True)
        lines = file.read_text("utf-8", errors="replace").split("\n") if file.is_file() else []
        self.show(uri, [self._diagnostic(report, one, lines) for one in findings(report)])

    def _report(self, kata: str, file: Path) -> Report | None:
        self.bench = self.bench or Bench()
        try:
            report = self.bench.begin(kata, file, Options()).report()
        except Died:
            return None
        report.file = str(file)
        return report

    def _diagnostic(self, report: Report, one: Finding, lines: list[str]) -> types.Diagnostic:
        number = max(0, (one.line or 1) - 1)
        text = lines[number] if number < len(lines) else ""
        first = len(text) - len(text.lstrip())
        message = message_of(report, one, self.language)
        return types.Diagnostic(
            range=types.Range(
                types.Position(number, _units(text[:first])),
                types.Position(number, max(_units(text.rstrip()), _units(text[:first]) + 1)),
            ),
            severity=_LEVELS[one.level],
            code=one.id,
            source=f"attn-kata {report.kata}",
            message=message,
        )

    def show(self, uri: str, found: list[types.Diagnostic]) -> None:
        """Underline this in a file, and nothing else."""
        self.found[uri] = found
        self.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(uri=uri, diagnostics=found)
        )

    def page(self, uri: str, position: types.Position) -> types.Hover | None:
        """Return the page on what is wrong where the pointer rests."""
        for one in self.found.get(uri, ()):
            here = one.range.start.line <= position.line <= one.range.end.line
            if here and str(one.code) in self.known:
                text = page_called(str(one.code), self.language)
                value = types.MarkupContent(types.MarkupKind.Markdown, text)
                return types.Hover(contents=value, range=one.range)
        return None


def _units(text: str) -> int:
    """How long a text is as editors count by default: in UTF-16's units."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def serve(language: str) -> None:
    """Serve an editor on standard input and output until it goes away."""
    # pygls closes what it speaks over.
    with os.fdopen(os.dup(0), "rb") as heard, os.fdopen(os.dup(1), "wb") as said:
        made(language).start_io(heard, said)


def made(language: str) -> LanguageServer:
    """Return the server with what it answers to."""
    server = _Server(language)

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def _(params: types.DidOpenTextDocumentParams) -> None:
        server.asked(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def _(params: types.DidSaveTextDocumentParams) -> None:
        server.asked(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def _(params: types.DidCloseTextDocumentParams) -> None:
        server.turns[params.text_document.uri] = server.turns.get(params.text_document.uri, 0) + 1
        server.show(params.text_document.uri, [])

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    def _(params: types.HoverParams) -> types.Hover | None:
        return server.page(params.text_document.uri, params.position)

    return server
