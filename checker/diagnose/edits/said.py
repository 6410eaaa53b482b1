"""Where a node of a file stands in its text, and what the text says there."""

from __future__ import annotations

import ast
from collections.abc import Iterable

__all__ = ["CLOSED", "Said"]

# What stands in no need of parentheses.
CLOSED = (ast.Name, ast.Attribute, ast.Constant, ast.Call, ast.Subscript)


class Said:
    """A file's text, by its nodes."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = text.split("\n")
        self.starts = [0]
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line) + 1)

    def span(self, node: ast.expr | ast.stmt | ast.keyword) -> tuple[int, int]:
        """Where a node begins and ends in the text."""
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        ends = (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)
        start, end = (self._place(line, column) for line, column in ends)
        return start, end

    def bare(self, node: ast.expr | ast.stmt) -> str:
        """What a node says."""
        start, end = self.span(node)
        return self.text[start:end]

    def of(self, node: ast.expr, *closed: type[ast.expr]) -> str:
        """What a node says, in parentheses where it may need them; kinds that do not are closed."""
        said = self.bare(node)
        # On several lines it stood in parentheses of something else.
        whole = isinstance(node, (*CLOSED, *closed)) and "\n" not in said
        return said if whole else f"({said})"

    def replaced(self, node: ast.expr | ast.stmt, parts: Iterable[tuple[ast.expr, str]]) -> str:
        """What a node says, with something else for some of its parts."""
        start, said = self.span(node)[0], self.bare(node)
        for (first, last), new in sorted(
            ((self.span(part), new) for part, new in parts), reverse=True
        ):
            said = said[: first - start] + new + said[last - start :]
        return said

    def indented(self, node: ast.stmt, further: int) -> tuple[int, int, str]:
        """Where a node stands with what stands before it, and the same so much further in."""
        start, end = self.starts[node.lineno - 1], self.span(node)[1]
        rows = self.text[start:end].split("\n")
        return (
            start,
            end,
            "\n".join(" " * further + row if further > 0 else row[-further:] for row in rows),
        )

    def between(self, one: ast.expr | ast.stmt, other: ast.expr | ast.stmt) -> str:
        """What stands between two nodes."""
        return self.text[self.span(one)[1] : self.span(other)[0]]

    def _place(self, line: int, column: int) -> int:
        """Where a byte of a line stands in the text."""
        row = self.lines[line - 1]
        column = column if row.isascii() else len(row.encode()[:column].decode())
        return self.starts[line - 1] + column
