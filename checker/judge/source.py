"""Read a submission from disk without running it: text, notebook cells, all that Python rejects."""

from __future__ import annotations

import ast
import codecs
import json
import os
import re
import select
import stat
import unicodedata
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from ..diagnose.expressions import name_of
from ..report.message import Message, say

__all__ = ["Source", "Unreadable", "cell_rows", "read"]

_LIMIT, _NOTEBOOK_LIMIT = 4 << 20, 64 << 20
# How long a pipe may have nothing to say, in seconds.
_PATIENCE = 2.0
# What Python itself looks for in the first two lines (PEP 263).
_COOKIE = re.compile(
    rb"\A(?:[ \t\f]*(?:#[^\r\n]*)?\r?\n)?[ \t\f]*#[^\r\n]*?coding[:=][ \t]*([-\w.]+)"
)
# How Python names a character that it cannot read.
_CODE = re.compile(r"invalid (?:non-printable )?character .*U\+([0-9A-F]{4,6})")
# What is meant by signs that editors and Chinese keyboards put in, where Unicode does not say.
_PLAIN = dict(zip("“”„«»‘’、。−–—×÷·【】", '"""""\'\',.---*/*[]', strict=True))
# How many of the numbers that are written in a file are looked at.
_NUMBERS = 16
# Added to a score, it leaves no weight, or what float16 cannot tell from none.
_HIDES = 1000
_TOO_DEEP = (RecursionError, MemoryError)
_SHELL = re.compile(r"^(\s*)(?:[!%]|\?|[\w.]+\?{1,2}\s*$)")
_SKIPPED_CELL = re.compile(
    r"^\s*%%(?:bash|sh|script|html|javascript|js|latex|markdown|svg|writefile|perl|ruby|file)"
)


class Unreadable(Exception):
    """The file cannot become Python source. kind, message, line and cells as in the report."""

    def __init__(
        self,
        kind: str,
        message: Message,
        line: int | None = None,
        cells: list[list[int]] | None = None,
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.line = line
        self.cells = cells


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Python source as it will be run. cells: a notebook's line ranges, else None.

    broken: what is wrong with the first cell that is left out since Python cannot read it.
    """

    path: Path
    text: str
    tree: ast.Module
    cells: list[list[int]] | None = None
    broken: Unreadable | None = None
    classes: dict[str, ast.ClassDef] = field(default_factory=dict)

    def line(self, number: int | None) -> str:
        """Return one line's text, or nothing."""
        # As Python counts them: a form feed, or a separator inside a string, ends no line.
        lines = self.text.split("\n")
        return lines[number - 1] if number and 0 < number <= len(lines) else ""

    def lineage(self, name: str) -> list[ast.ClassDef]:
        """A class, and those of the file that it is made of."""
        found = [self.classes[name]] if name in self.classes else []
        for one in found:
            further = (self.classes.get(name_of(base)) for base in one.bases)
            found += [base for base in further if base is not None and base not in found]
        return found

    def lines_of(self, names: Iterable[str]) -> frozenset[int]:
        """The lines of the functions with these names that stand on their own."""
        wanted = {*names}
        return frozenset(
            line for node in self.tree.body
            if isinstance(node, ast.FunctionDef) and node.name in wanted
            for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
        )  # fmt: skip

    @property
    def mentions(self) -> dict[str, set[str]]:
        """The names that each class's own text speaks of."""
        return {
            name: {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
            for name, tree in self.classes.items()
        }

    @property
    def tables(self) -> bool:
        """Whether the file keeps tensors beside layers."""
        return any(word in self.text for word in ("register_buffer", "Buffer(", "Parameter("))

    @property
    def numbers(self) -> tuple[str, ...]:
        """The numbers that are written in it, as Python writes them, the rarest first.

        Not 0, and nothing that hides a score as it should, which is no mistake's.
        """
        found: Counter[str] = Counter()
        for node in ast.walk(self.tree):
            negative = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub)
            inner = node.operand if isinstance(node, ast.UnaryOp) and negative else node
            value = inner.value if isinstance(inner, ast.Constant) else None
            if isinstance(value, int | float) and not isinstance(value, bool):
                hides = abs(value) >= _HIDES and (negative or isinstance(value, float))
                found[f"{'-' * negative}{value!r}"] += value != 0 and not hides
        return tuple(text for text, count in found.most_common()[: -_NUMBERS - 1 : -1] if count)


def read(path: Path) -> Source:
    """Read a Python file or a notebook. Raise Unreadable with what is wrong and where."""
    raw = _bytes(path)
    text = _decode(raw)
    cells = None
    if path.suffix == ".ipynb":
        text, cells = _notebook(text)
    if len(text) > _LIMIT:
        raise Unreadable("load", say("file-too-large", size=_LIMIT >> 20))
    if not text.strip():
        raise Unreadable("load", say("file-empty"))
    if cells is None:
        tree, broken = _compiled(text), None
    else:
        tree, broken = _compiled_cells(text, cells)
    found = {node.name: node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
    return Source(path=path, text=text, tree=tree, cells=cells, broken=broken, classes=found)


def _bytes(path: Path) -> bytes:
    try:
        if path.is_dir():
            raise Unreadable("load", say("file-is-folder"))
        # A notebook carries its pictures; only its code is looked at.
        limit = _NOTEBOOK_LIMIT if path.suffix == ".ipynb" else _LIMIT
        raw = _read(path, limit + 1)
    except (OSError, ValueError) as fault:
        reason = getattr(fault, "strerror", None) or str(fault)
        raise Unreadable("load", say("file-unreadable", reason=reason)) from fault
    if raw is None:
        raise Unreadable("load", say("file-silent"))
    if len(raw) > limit:
        raise Unreadable("load", say("file-too-large", size=limit >> 20))
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


def _decode(raw: bytes) -> str:
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise Unreadable("load", say("file-utf16"))
    cookie = _COOKIE.match(raw)
    encoding = cookie[1].decode("ascii") if cookie else "utf-8"
    try:
        encoding = "utf-8-sig" if codecs.lookup(encoding).name == "utf-8" else encoding
        text = raw.decode(encoding)
    except LookupError as fault:
        raise Unreadable("syntax", say("file-encoding", name=encoding), 1) from fault
    except UnicodeDecodeError as fault:
        line = raw.count(b"\n", 0, fault.start) + 1
        name = "UTF-8" if encoding == "utf-8-sig" else encoding
        message = say("file-not-utf8", line=line, name=name)
        raise Unreadable("syntax", message, line) from fault
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _notebook(text: str) -> tuple[str, list[list[int]]]:
    try:
        cells = json.loads(text)["cells"]
        sources = ["".join(c["source"]) for c in cells if c["cell_type"] == "code"]
    except (ValueError, KeyError, TypeError, RecursionError) as fault:
        raise Unreadable("load", say("notebook-broken")) from fault
    lines: list[str] = []
    ranges: list[list[int]] = []
    for source in sources:
        rows = cell_rows(source)
        ranges.append([len(lines) + 1, len(lines) + len(rows)])
        lines.extend(rows)
    if not any(line.strip() for line in lines):
        raise Unreadable("no-class", say("notebook-no-code"))
    return "\n".join(lines) + "\n", ranges


def cell_rows(source: str) -> list[str]:
    """Return a cell's lines as Python; what is meant for the shell or the notebook does nothing."""
    rows = source.split("\n")
    return (
        [""] * len(rows) if _SKIPPED_CELL.match(source) else [_without_magic(row) for row in rows]
    )


def _without_magic(row: str) -> str:
    if row.startswith("%%"):
        return ""
    found = _SHELL.match(row)
    return f"{found[1]}pass" if found else row


def _compiled(text: str) -> ast.Module:
    """Parse what Python also compiles, as `return` outside a function is not. Nothing is run."""
    if "\x00" in text:
        raise _null(text)
    try:
        tree = ast.parse(text)
        compile(text, "<submission>", "exec", dont_inherit=True)
    except SyntaxError as fault:
        raise _syntax(fault, text) from fault
    except UnicodeEncodeError as fault:
        # Half of a character, as JSON can spell one.
        line = text.count("\n", 0, fault.start) + 1
        raise _odd(text[fault.start], line) from fault
    except _TOO_DEEP as fault:
        line = _deep_line(text)
        raise Unreadable("syntax", say("syntax-too-deep", line=line), line) from fault
    except (ValueError, OverflowError, SystemError) as fault:
        raise Unreadable("syntax", say("file-unparsable", reason=str(fault))) from fault
    return tree


def _null(text: str) -> Unreadable:
    line = text.count("\n", 0, text.index("\x00")) + 1
    return Unreadable("syntax", say("file-null-byte", line=line), line)


def _compiled_cells(text: str, cells: list[list[int]]) -> tuple[ast.Module, Unreadable | None]:
    """Compile cell by cell, and leave out those that are no Python. Raise the first if all are."""
    lines = text.split("\n")
    whole = ast.Module(body=[], type_ignores=[])
    broken: Unreadable | None = None
    for number, (first, last) in enumerate(cells, start=1):
        own = "\n".join(lines[first - 1 : last])
        try:
            part = _compiled(own)
        except Unreadable as fault:
            # Its lines are counted in the cell that is named.
            own_line = {"line": str(fault.line)} if "line" in fault.message.values else {}
            told = replace(fault.message, values={**fault.message.values, **own_line})
            message = say("in-cell", cell=number, text=told)
            line = fault.line and fault.line + first - 1
            broken = broken or Unreadable(fault.kind, message, line, cells)
            continue
        whole.body.extend(ast.increment_lineno(part, first - 1).body)
    if broken is not None and not whole.body:
        raise broken
    return whole, broken


def _deep_line(text: str) -> int:
    """The first line at which so much is nested that Python gives up."""
    lines = text.split("\n")
    low, high = 1, len(lines)
    while low < high:
        middle = (low + high) // 2
        try:
            compile("\n".join(lines[:middle]), "<submission>", "exec", dont_inherit=True)
        except _TOO_DEEP:
            high = middle
            continue
        except SyntaxError:
            # What is cut off here ends further down.
            pass
        low = middle + 1
    return low


def _syntax(fault: SyntaxError, text: str) -> Unreadable:
    line = fault.lineno or 1
    rows = text.split("\n")
    row = rows[line - 1] if line <= len(rows) else ""
    odd = _CODE.search(str(fault.msg))
    if odd is not None:
        return _odd(chr(int(odd[1], 16)), line)
    indented = isinstance(fault, IndentationError) and _mixed(rows)
    if isinstance(fault, TabError) or ("\t" in row and indented):
        return Unreadable("syntax", say("syntax-tabs", line=line), line)
    caret = " " * max(0, (fault.offset or 1) - 1 - (len(row) - len(row.lstrip()))) + "^"
    message = say("syntax", line=line, reason=fault.msg, code=row.strip(), caret=caret)
    return Unreadable("syntax", message, line)


def _odd(character: str, line: int) -> Unreadable:
    """Say which character Python cannot read."""
    name = unicodedata.name(character, "?").lower()
    plain = _PLAIN.get(character) or unicodedata.normalize("NFKC", character)
    if plain.isascii() and plain.isprintable() and not plain.isspace():
        key, told = "syntax-odd-character-plain", {"character": character, "plain": plain}
    else:
        key, told = "syntax-odd-character", {"code": f"U+{ord(character):04X}"}
    return Unreadable("syntax", say(key, line=line, name=name, **told), line)


def _mixed(rows: list[str]) -> bool:
    """Whether lines are indented with tabs and with spaces."""
    dents = {row[: len(row) - len(row.lstrip(" \t"))] for row in rows if row.strip()}
    used = set("".join(dents))
    return used >= {" ", "\t"}
