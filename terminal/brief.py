"""Briefs, hints and pages: the little Markdown they use, wrapped to the screen."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from .text import Line, wrap, wrap_code

__all__ = ["blocks", "markdown_lines"]

_ASKED = re.compile(r"\*\*(.+?)\*\*\s*(.*)", re.DOTALL)
_STOPS = "，。：；？！、（）《》"
_TICKED = re.compile(r"(`[^`]+`)")


def markdown_lines(text: str, width: int, indent: int = 0) -> list[Line]:
    """Draw headings, paragraphs, bullets and code; code keeps its lines where there is room."""
    lines: list[Line] = []
    lead = " " * indent
    for kind, content in blocks(text):
        if kind == "code":
            rows = [
                piece for row in content.split("\n") for piece in wrap_code(row, width - indent - 2)
            ]
            lines += [[(f"{lead}  {row}" if row else "", "code")] for row in rows]
        elif kind == "heading":
            lines.append([(lead + content, "bold")])
        elif kind == "bullet":
            rows = wrap(content, width - indent - 2)
            lines += [_ticked(lead + ("  " if at else "- ") + row) for at, row in enumerate(rows)]
        elif asked := _ASKED.match(content):
            # What a paragraph opens with in bold, a question, gets lines of its own.
            lines += [[(lead + row, "bold")] for row in wrap(asked[1], width - indent)]
            lines += [_ticked(lead + row) for row in wrap(asked[2], width - indent) if row]
        elif kind == "text":
            lines += [_ticked(lead + row) for row in wrap(content, width - indent)]
        else:
            lines.append([])
    return lines


def _ticked(row: str) -> Line:
    """Colour what stands in backticks, and keep them: colour only repeats."""
    parts = _TICKED.split(row)
    return [(part, "code" if part.startswith("`") else "") for part in parts if part]


def blocks(text: str) -> Iterator[tuple[str, str]]:
    """Yield (kind, content): heading, text, bullet, code or blank."""
    held: tuple[str, str] | None = None
    fenced: list[str] | None = None
    for row in text.strip("\n").split("\n"):
        if row.startswith("```"):
            if fenced is not None:
                yield "code", "\n".join(fenced)
                fenced = None
                continue
            if held:
                yield held
            held, fenced = None, []
        elif fenced is not None:
            fenced.append(row)
        elif held and _continues(row, held[0]):
            held = (held[0], _joined(held[1], row.strip()))
        else:
            if held:
                yield held
            held = None
            if row.startswith("- "):
                held = ("bullet", row[2:].strip())
            elif row.startswith("#"):
                yield "heading", row.lstrip("#").strip()
            elif row.startswith("    "):
                yield "code", row[4:].rstrip()
            elif row.strip():
                held = ("text", row.strip())
            else:
                yield "blank", ""
    if held:
        yield held


def _continues(row: str, kind: str) -> bool:
    """Whether a row belongs to the paragraph or bullet before it."""
    if row.startswith("  ") and kind == "bullet":
        return True
    return bool(row.strip()) and not row.startswith(("- ", "#", "    "))


def _joined(before: str, after: str) -> str:
    """Join two lines of a paragraph; beside Chinese, and after its stops, there is no space."""
    wide = all(unicodedata.east_asian_width(char) in "WF" for char in (before[-1], after[0]))
    return before + after if wide or before[-1] in _STOPS else f"{before} {after}"
