"""Read a submission from disk without running it: text, notebook cells, syntax."""

from __future__ import annotations

import ast
import codecs
import json
import os
import re
import select
import stat
import unicodedata
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .messages import say

__all__ = ["Source", "Unreadable", "read"]

_LIMIT, _NOTEBOOK_LIMIT = 1 << 20, 64 << 20
# How long a pipe may have nothing to say, in seconds.
_PATIENCE = 2.0
# What Python itself looks for in the first two lines (PEP 263).
_COOKIE = re.compile(
    rb"\A(?:[ \t\f]*(?:#[^\r\n]*)?\r?\n)?[ \t\f]*#[^\r\n]*?coding[:=][ \t]*([-\w.]+)"
)
_SHELL = re.compile(r"^(\s*)(?:[!%]|\?|[\w.]+\?{1,2}\s*$)")
_SKIPPED_CELL = re.compile(
    r"^\s*%%(?:bash|sh|script|html|javascript|js|latex|markdown|svg|writefile|perl|ruby|file)"
)


class Unreadable(Exception):
    """The file cannot become Python source. kind, message and line as in the report."""

    def __init__(self, kind: str, message: str, line: int | None = None) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.line = line


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Python source as it will be run. cells: a notebook's line ranges, else None."""

    path: Path
    text: str
    tree: ast.Module
    cells: list[list[int]] | None = None
    classes: dict[str, ast.ClassDef] = field(default_factory=dict)

    def line(self, number: int | None) -> str:
        """Return one line's text, or nothing."""
        lines = self.text.splitlines()
        return lines[number - 1] if number and 0 < number <= len(lines) else ""

    @property
    def mentions(self) -> dict[str, set[str]]:
        """The names that each class's own text speaks of."""
        return {
            name: {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
            for name, tree in self.classes.items()
        }

    def to_load(self, path: str) -> dict[str, Any]:
        """Return the request that has a candidate's process run it. path: the file's, resolved."""
        folder = str(Path(path).parent)
        return {
            "do": "load", "source": self.text, "path": path, "folder": folder, "cells": self.cells,
        }  # fmt: skip


def read(path: Path, language: str) -> Source:
    """Read a Python file or a notebook. Raise Unreadable with what is wrong and where."""
    raw = _bytes(path, language)
    text = _decode(raw, language)
    cells = None
    if path.suffix == ".ipynb":
        text, cells = _notebook(text, language)
    if len(text) > _LIMIT:
        raise Unreadable("load", say("file-too-large", language, size=_LIMIT >> 20))
    if not text.strip():
        raise Unreadable("syntax", say("file-empty", language))
    tree = _parse(text, cells, language)
    found = {node.name: node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
    return Source(path=path, text=text, tree=tree, cells=cells, classes=found)


def _bytes(path: Path, language: str) -> bytes:
    try:
        if path.is_dir():
            raise Unreadable("load", say("file-is-folder", language))
        # A notebook carries its pictures; only its code is looked at.
        limit = _NOTEBOOK_LIMIT if path.suffix == ".ipynb" else _LIMIT
        raw = _read(path, limit + 1)
    except (OSError, ValueError) as fault:
        reason = getattr(fault, "strerror", None) or str(fault)
        raise Unreadable("load", say("file-unreadable", language, reason=reason)) from fault
    if raw is None:
        raise Unreadable("load", say("file-silent", language))
    if len(raw) > limit:
        raise Unreadable("load", say("file-too-large", language, size=limit >> 20))
    return raw


def _read(path: Path, most: int) -> bytes | None:
    """Read so many bytes at most, or None where a pipe or device has none for a while."""
    held = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    parts = bytearray()
    try:
        if stat.S_ISFIFO(os.fstat(held).st_mode):
            # Until someone writes, its end looks like the end.
            poll = select.poll()
            poll.register(held, select.POLLIN)
            if not poll.poll(_PATIENCE * 1000):
                return None
        while len(parts) < most:
            if not select.select([held], [], [], _PATIENCE)[0]:
                return None
            piece = os.read(held, min(1 << 20, most - len(parts)))
            if not piece:
                break
            parts += piece
    finally:
        os.close(held)
    return bytes(parts)


def _decode(raw: bytes, language: str) -> str:
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise Unreadable("syntax", say("file-utf16", language))
    cookie = _COOKIE.match(raw)
    encoding = cookie[1].decode("ascii") if cookie else "utf-8"
    try:
        encoding = "utf-8-sig" if codecs.lookup(encoding).name == "utf-8" else encoding
        text = raw.decode(encoding)
    except LookupError as fault:
        raise Unreadable("syntax", say("file-encoding", language, name=encoding), 1) from fault
    except UnicodeDecodeError as fault:
        line = raw.count(b"\n", 0, fault.start) + 1
        name = "UTF-8" if encoding == "utf-8-sig" else encoding
        message = say("file-not-utf8", language, line=line, name=name)
        raise Unreadable("syntax", message, line) from fault
    if "\x00" in text:
        line = text.count("\n", 0, text.index("\x00")) + 1
        raise Unreadable("syntax", say("file-null-byte", language, line=line), line)
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _notebook(text: str, language: str) -> tuple[str, list[list[int]]]:
    try:
        cells = json.loads(text)["cells"]
        sources = ["".join(c["source"]) for c in cells if c["cell_type"] == "code"]
    except (ValueError, KeyError, TypeError, RecursionError) as fault:
        raise Unreadable("syntax", say("notebook-broken", language)) from fault
    lines: list[str] = []
    ranges: list[list[int]] = []
    for source in sources:
        rows = source.split("\n")
        if _SKIPPED_CELL.match(source):
            rows = [""] * len(rows)
        ranges.append([len(lines) + 1, len(lines) + len(rows)])
        lines.extend(_without_magic(row) for row in rows)
    if not any(line.strip() for line in lines):
        raise Unreadable("no-class", say("notebook-no-code", language))
    return "\n".join(lines) + "\n", ranges


def _without_magic(row: str) -> str:
    found = _SHELL.match(row)
    return f"{found[1]}pass" if found else row


def _parse(text: str, cells: list[list[int]] | None, language: str) -> ast.Module:
    try:
        tree = ast.parse(text)
        if cells is None:
            # What parses may still be none: a `return` outside a function, say.
            compile(tree, "<submission>", "exec", dont_inherit=True)
    except SyntaxError as fault:
        whole = None if cells is None else _parse_cells(text, cells)
        if whole is None:
            raise _syntax(fault, text, language) from fault
        return whole
    except (ValueError, RecursionError, MemoryError) as fault:
        raise Unreadable("syntax", say("file-unparsable", language, reason=str(fault))) from fault
    return tree


def _parse_cells(text: str, cells: list[list[int]]) -> ast.Module | None:
    """Parse cell by cell, leaving out cells that are no Python; None if none is."""
    lines = text.split("\n")
    whole = ast.Module(body=[], type_ignores=[])
    for first, last in cells:
        try:
            part = ast.parse("\n" * (first - 1) + "\n".join(lines[first - 1 : last]))
        except (SyntaxError, ValueError):
            continue
        whole.body.extend(part.body)
    return whole if whole.body else None


def _syntax(fault: SyntaxError, text: str, language: str) -> Unreadable:
    line = fault.lineno or 1
    row = text.split("\n")[line - 1] if line <= text.count("\n") + 1 else ""
    odd = _odd_character(text, line)
    if odd is not None:
        line, character = odd
        code = f"U+{ord(character):04X}"
        name = unicodedata.name(character, "?").lower()
        message = say("syntax-odd-character", language, line=line, code=code, name=name)
        return Unreadable("syntax", message, line)
    if isinstance(fault, TabError) or ("\t" in row and "indent" in str(fault.msg)):
        return Unreadable("syntax", say("syntax-tabs", language, line=line), line)
    caret = " " * max(0, (fault.offset or 1) - 1 - (len(row) - len(row.lstrip()))) + "^"
    message = say("syntax", language, line=line, reason=fault.msg)
    return Unreadable("syntax", f"{message}\n    {row.strip()}\n    {caret}", line)


def _odd_character(text: str, line: int) -> tuple[int, str] | None:
    """Find the first character at or before a line that Python cannot read outside strings."""
    for number, row in enumerate(text.split("\n")[: line + 1], start=1):
        code = row.split("#")[0]
        for character in code:
            if ord(character) < 128 or character.isidentifier():
                continue
            if number == line or unicodedata.category(character) in {"Zs", "Cf"}:
                return number, character
    return None
