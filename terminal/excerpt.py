"""Lines of the candidate's own code, with numbers, a marker and what was wanted."""

from __future__ import annotations

from collections.abc import Sequence

from .text import Line, cells, pad, safe, wrap

__all__ = ["excerpt"]

_LONGEST = 400


def excerpt(
    source: Sequence[str],
    line: int | None,
    *,
    yours: str | None,
    wanted: str | None,
    want: str,
    width: int,
    around: int = 1,
) -> list[Line]:
    """Draw the line at fault between its neighbours, and the wanted one under it.

    source: the file's lines; empty where they cannot be shown, then `yours` stands alone.
    want: the word that says whose the last line is.
    """
    rows = _rows(source, line, yours, around)
    if not rows:
        return []
    dent = _common_dent([text for _, text in rows])
    gutter = max(2, *(len(str(number)) for number, _ in rows if number))
    lines: list[Line] = []
    for number, text in rows:
        here = number == line
        mark = "> " if here else "  "
        head = f"  {mark}{pad(str(number or ''), gutter, right=True)} │ "
        style = "bold" if here else "dim"
        lines += _code(head, _shown(text)[dent:], style, width)
        if here and wanted:
            depth = len(_shown(text)) - len(_shown(text).lstrip())
            target = " " * (depth - dent) + _shown(wanted).strip()
            lines += _wanted(gutter, target, want, width)
    return lines


def _rows(
    source: Sequence[str], line: int | None, yours: str | None, around: int
) -> list[tuple[int | None, str]]:
    known = line is not None and 0 < line <= len(source)
    if line is None or not known:
        return [(line, yours)] if yours else []
    if yours and source[line - 1].strip() != yours.strip():
        return [(line, yours)]
    first, last = max(1, line - around), min(len(source), line + around)
    rows = [(number, source[number - 1]) for number in range(first, last + 1)]
    return [(number, text) for number, text in rows if text.strip() or number == line]


def _wanted(gutter: int, text: str, want: str, width: int) -> list[Line]:
    head = f"    {' ' * gutter} │ "
    room = width - cells(head) - cells(text)
    if room < cells(want) + 2:
        return [*_code(head, text, "right", width), [(head, "dim"), (want, "dim")]]
    gap = " " * min(6, room - cells(want))
    return [[(head, "dim"), (text, "right"), (gap + want, "dim")]]


def _code(head: str, text: str, style: str, width: int) -> list[Line]:
    pieces = _folded(text, max(8, width - cells(head)))
    blank = " " * (cells(head) - 2) + "│ "
    return [[(blank if at else head, "dim"), (piece, style)] for at, piece in enumerate(pieces)]


def _folded(text: str, width: int) -> list[str]:
    dent = text[: len(text) - len(text.lstrip())]
    if cells(text) <= width or len(dent) > width // 2:
        return [text] if cells(text) <= width else wrap(text, width)
    first, *rest = wrap(text.lstrip(), width - len(dent) - 2)
    return [dent + first, *(f"{dent}  {piece}" for piece in rest)]


def _shown(text: str) -> str:
    plain = text.rstrip().expandtabs(4)
    cut = f"{plain[:_LONGEST]} …" if len(plain) > _LONGEST else plain
    return safe(cut)


def _common_dent(texts: Sequence[str]) -> int:
    filled = [_shown(text) for text in texts if text.strip()]
    return min((len(text) - len(text.lstrip()) for text in filled), default=0)
