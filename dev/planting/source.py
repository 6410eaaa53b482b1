"""A right file, and the changes of one line that could be made to it. Standard library only."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

__all__ = ["Change", "Operator", "Source"]


@dataclass(frozen=True, slots=True)
class Change:
    """A line of a file as it is written wrongly, and the operator that wrote it.

    line counts from 1; wrong is the whole line, with its indent.
    """

    operator: str
    line: int
    wrong: str
    mistakes: frozenset[str]


class Source:
    """A file's text and tree, with the questions that operators ask."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = text.splitlines()
        self.tree = ast.parse(text)
        self._encoded = [line.encode() for line in text.splitlines(keepends=True)]
        # What statements say, by their first and last line.
        self._dumps: dict[tuple[int, int], str | None] = {}
        self._parents = {
            child: node for node in ast.walk(self.tree) for child in ast.iter_child_nodes(node)
        }

    def said(self, node: ast.AST) -> str:
        """Return a node's own text; `ast.get_source_segment` splits the whole file for each."""
        first, last = getattr(node, "lineno", None), getattr(node, "end_lineno", None)
        if first is None or last is None:
            return ""
        rows = self._encoded[first - 1 : last]
        rows[-1] = rows[-1][: node.end_col_offset]  # type: ignore[attr-defined]
        rows[0] = rows[0][node.col_offset :]  # type: ignore[attr-defined]
        return b"".join(rows).decode()

    def parent(self, node: ast.AST) -> ast.AST | None:
        """Return the node that holds a node."""
        return self._parents.get(node)

    def function(self, node: ast.AST) -> ast.FunctionDef | None:
        """Return the function in which a node stands."""
        above: ast.AST | None = node
        while above is not None and not isinstance(above, ast.FunctionDef):
            above = self._parents.get(above)
        return above

    def arguments(self, node: ast.AST) -> list[str]:
        """Return the names of the arguments of the function in which a node stands."""
        function = self.function(node)
        if function is None:
            return []
        return [each.arg for each in function.args.args if each.arg != "self"]

    @cached_property
    def names(self) -> frozenset[str]:
        """Every name and attribute that the file reads or writes."""
        found = {node.id for node in ast.walk(self.tree) if isinstance(node, ast.Name)}
        found |= {node.attr for node in ast.walk(self.tree) if isinstance(node, ast.Attribute)}
        return frozenset(found)

    def changed(self, node: ast.AST, text: str) -> tuple[int, str] | None:
        """Return the line that a node stands on with a text in the node's place.

        None where the node spans lines, where nothing changes, or where the file then does not
        compile.
        """
        first = getattr(node, "lineno", None)
        if first is None or first != getattr(node, "end_lineno", None):
            return None
        row = self.lines[first - 1].encode()
        start, end = node.col_offset, node.end_col_offset  # type: ignore[attr-defined]
        line = (row[:start] + text.encode() + row[end:]).decode().rstrip()
        if line == self.lines[first - 1]:
            return None
        start, end = self._statement(node)
        rows = [*self.lines[start - 1 : first - 1], line, *self.lines[first:end]]
        dumped = _dumped(rows)
        return None if dumped in {None, self._dump(start, end)} else (first, line)

    def _statement(self, node: ast.AST) -> tuple[int, int]:
        """Return the first and the last line of the least that holds a node and stands alone."""
        above = self._parents.get(node)
        while above is not None:
            if isinstance(above, ast.stmt):
                rows = [above, *getattr(above, "decorator_list", ())]
                lines = min(row.lineno for row in rows), above.end_lineno or above.lineno
                # What begins with `elif` does not.
                if self._dump(*lines) is not None:
                    return lines
            above = self._parents.get(above)
        return 1, len(self.lines)

    def _dump(self, start: int, end: int) -> str | None:
        if (start, end) not in self._dumps:
            self._dumps[start, end] = _dumped(self.lines[start - 1 : end])
        return self._dumps[start, end]


def _dumped(rows: list[str]) -> str | None:
    """Say what lines of Python mean, wherever they are indented; None for what is none."""
    head = ["if True:"] if rows[0][:1].isspace() else []
    try:
        return ast.dump(ast.parse("\n".join([*head, *rows])))
    except SyntaxError:
        return None


@dataclass(frozen=True, slots=True)
class Operator:
    """One way to get a line wrong. mistakes: what the judge may call it: one truth, several names.

    texts yields what could stand in a node's place.
    """

    name: str
    mistakes: frozenset[str]
    texts: Callable[[Source, ast.AST], Iterator[str]]

    def changes(self, source: Source) -> Iterator[Change]:
        """Yield every change that this operator makes to a file."""
        for node in ast.walk(source.tree):
            for text in self.texts(source, node):
                found = source.changed(node, text)
                if found is not None:
                    yield Change(self.name, *found, self.mistakes)
