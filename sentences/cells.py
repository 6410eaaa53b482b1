"""Lines of a notebook, told by cell. Standard library only.

A notebook is judged as one text, the code cells below each other; a report's lines are that
text's. People look for them in a cell, so that whoever says a line says it from there.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

__all__ = ["Cells", "cell_of", "located", "short", "told"]

# The first and last line of each code cell, in order.
Cells = Sequence[Sequence[int]]

_FORMS = {"en": "{line} of code cell {cell}", "zh": "{cell} 个代码单元第 {line}"}
_current: ContextVar[Cells] = ContextVar("cells", default=())


@contextmanager
def located(cells: Cells | None) -> Generator[None]:
    """Have lines told by these cells, meanwhile; none where there are none."""
    before = _current.set(cells or ())
    try:
        yield
    finally:
        _current.reset(before)


def cell_of(line: int, cells: Cells) -> tuple[int, int] | None:
    """Return the code cell (1 is the first) and the line in it, None outside of all."""
    number = bisect_right([first for first, _ in cells], line)
    if number == 0 or line > cells[number - 1][1]:
        return None
    return number, line - cells[number - 1][0] + 1


def told(line: object, language: str) -> object:
    """Return a line as it stands in a sentence: `line {line}`, in Chinese `第 {line} 行`."""
    found = cell_of(line, _current.get()) if isinstance(line, int) else None
    if found is None:
        return line
    return _FORMS[language].format(cell=found[0], line=found[1])


def short(line: int | None) -> str:
    """Return a line as it stands in a column: `12`, and in a notebook `cell:line`."""
    found = None if line is None else cell_of(line, _current.get())
    return str(line or "") if found is None else f"{found[0]}:{found[1]}"
