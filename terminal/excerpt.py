"""Lines of the candidate's own code, with numbers and a marker, and what was wanted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..sentences.cells import short
from .text import Line, cells, pad, safe, wrap_code

__all__ = ["Pair", "excerpt"]

_LONGEST = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """What is shown below a line, with names: the wrong and the right line of the model answer.

    Or the submission's own lines as they would be right, with nothing wrong beside them: empty
    where the line is one too many.
    """

    wrong: str | None
    right: str | None
    match: str
    want: str


def excerpt(
    source: Sequence[str],
    line: int | None,
    *,
    yours: str | None,
    width: int,
    around: int = 1,
    pair: Pair | None = None,
) -> list[Line]:
    """Draw the line at fault between its neighbours, and below it what would be right.

    source: the file's lines; empty where they cannot be shown, then `yours` stands alone.
    """
    told = pair is not None and pair.right is not None
    # With the pair below it, the line at fault stands last: a screen has room for so much.
    rows = _rows(source, line, yours, (around, 0 if told else around))
    dent = _common_dent([text for _, text in rows])
    gutter = max([2, *(len(short(number)) for number, _ in rows)])
    lines: list[Line] = []
    for number, text in rows:
        here = number == line
        mark = "> " if here else "  "
        head = f"  {mark}{pad(short(number), gutter, right=True)} │ "
        style = "bold" if here else "dim"
        lines += _code(head, _shown(text)[dent:], style, width)
    return [*lines, *(_pair(pair, gutter, width) if pair is not None and told else [])]


def _pair(pair: Pair, gutter: int, width: int) -> list[Line]:
    """Draw a line as the numbers say it was written, if that is known, and as it is right."""
    *many, last = (pair.right or "").split("\n")
    told = [("-", pair.wrong, "wrong", pair.match), *(("+", one, "right", "") for one in many),
            ("+", last, "right", pair.want)]  # fmt: skip
    found = [(sign, _shown(text).strip(), *rest) for sign, text, *rest in told if text]
    # Both are named in one column, or neither is: the signs say it where there is no room.
    side = max((cells(text) for _, text, _, _ in found), default=0) + 4
    blank = gutter + 7
    fits = all(blank + side + cells(name) <= width for _, _, _, name in found)
    lines: list[Line] = []
    for sign, text, style, name in found:
        head = f"    {pad(sign, gutter, right=True)} │ "
        if fits:
            lines.append([(head, "dim"), (pad(text, side), style), (name, "dim")])
        else:
            lines += _code(head, text, style, width)
    if not found or (not fits and pair.wrong is None):
        # Of one line alone, or of none, no sign says what it is.
        lines += _code(" " * (gutter + 4) + " │ ", pair.want, "dim", width)
    return lines


def _rows(
    source: Sequence[str], line: int | None, yours: str | None, around: tuple[int, int]
) -> list[tuple[int | None, str]]:
    known = line is not None and 0 < line <= len(source)
    if line is None or not known:
        return [(line, yours)] if yours else []
    if yours and source[line - 1].strip() != yours.strip():
        return [(line, yours)]
    first, last = max(1, line - around[0]), min(len(source), line + around[1])
    rows = [(number, source[number - 1]) for number in range(first, last + 1)]
    return [(number, text) for number, text in rows if text.strip() or number == line]


def _code(head: str, text: str, style: str, width: int) -> list[Line]:
    pieces = wrap_code(text, max(8, width - cells(head)))
    blank = " " * (cells(head) - 2) + "│ "
    return [[(blank if at else head, "dim"), (piece, style)] for at, piece in enumerate(pieces)]


def _shown(text: str) -> str:
    plain = text.rstrip().expandtabs(4)
    cut = f"{plain[:_LONGEST]} …" if len(plain) > _LONGEST else plain
    return safe(cut)


def _common_dent(texts: Sequence[str]) -> int:
    filled = [_shown(text) for text in texts if text.strip()]
    return min((len(text) - len(text.lstrip()) for text in filled), default=0)
