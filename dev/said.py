"""List every sentence that a report can say, with where and under which condition it is said.

`python -m attn_kata.dev.said [KEY …] [--but FILE]` prints Markdown: each sentence with the comment
that stands over it in its table, and, for each place in the code that can say it, the tests on the
way there: those that it stands under, and those that would have left before it. FILE: keys to leave
out, such as those that `pytest --said FILE` found to be said in tests.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..sentences.wording import forms

__all__ = ["Place", "comments", "main", "places"]

_ROOT = Path(__file__).parent.parent
_ROOMS = ("checker", "practice")
_LEAVES = (ast.Return, ast.Raise, ast.Continue, ast.Break)
# Letters that a key which is put together has to have, or any could be meant.
_TELLING = 3
_SCOPES = (ast.FunctionDef, ast.ClassDef)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a sentence is chosen: file, line, the function's name, and the tests on the way."""

    file: str
    line: int
    function: str
    tests: tuple[str, ...]


def places(rooms: Sequence[str] = _ROOMS) -> dict[str, list[Place]]:
    """Return the places of every sentence, by its key."""
    found: dict[str, list[Place]] = {key: [] for key in forms()}
    for path in (path for room in rooms for path in sorted((_ROOT / room).rglob("*.py"))):
        file = path.relative_to(_ROOT).as_posix()
        for node, scopes, tests in _walked(ast.parse(path.read_text("utf-8")), (), ()):
            for key in _keys(node, found):
                found[key].append(Place(file, node.lineno, ".".join(scopes), tests))
    return found


def _keys(node: ast.expr, known: Mapping[str, object]) -> list[str]:
    """The sentences that a string can be the key of; one that is put together may be several."""
    if isinstance(node, ast.Constant):
        return [str(node.value)] if node.value in known else []
    parts = node.values if isinstance(node, ast.JoinedStr) else []
    fixed = [part.value if isinstance(part, ast.Constant) else None for part in parts]
    fixed = [None if one is None else str(one) for one in fixed]
    if sum(map(str.isalpha, "".join(filter(None, fixed)))) < _TELLING:
        return []
    pattern = "".join(".+" if part is None else re.escape(part) for part in fixed)
    return [key for key in known if re.fullmatch(pattern, key)]


def _walked(
    node: ast.AST, scopes: tuple[str, ...], tests: tuple[str, ...]
) -> Iterator[tuple[ast.expr, tuple[str, ...], tuple[str, ...]]]:
    """Yield the strings beneath a node, each with its scopes and the tests on the way to it."""
    if isinstance(node, (ast.JoinedStr, ast.Constant)):
        if isinstance(node, ast.JoinedStr) or isinstance(node.value, str):
            yield node, scopes, tests
        return
    if isinstance(node, _SCOPES):
        scopes, tests = (*scopes, node.name), ()
    for name, value in ast.iter_fields(node):
        here = (*tests, *_under(node, name))
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, ast.AST):
                yield from _walked(one, scopes, here)
                here = (*here, *_past(one))


def _under(node: ast.AST, field: str) -> Iterator[str]:
    """What holds in a field of a node."""
    if isinstance(node, (ast.If, ast.IfExp)) and field in {"body", "orelse"}:
        yield _said(node.test, holds=field == "body")
    elif isinstance(node, ast.match_case) and field == "body":
        yield f"case {ast.unparse(node.pattern)}"
    elif isinstance(node, ast.ExceptHandler) and field == "body" and node.type is not None:
        yield f"except {ast.unparse(node.type)}"


def _past(node: ast.AST) -> Iterator[str]:
    """What holds after a statement: an `if` that leaves was not entered."""
    if isinstance(node, ast.If) and not node.orelse and isinstance(node.body[-1], _LEAVES):
        yield _said(node.test, holds=False)


def _said(test: ast.expr, *, holds: bool) -> str:
    if not holds and isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return ast.unparse(test.operand)
    return ast.unparse(test) if holds else f"not ({ast.unparse(test)})"


def comments() -> dict[str, str]:
    """Return what stands over each sentence in its table, where something does."""
    found: dict[str, str] = {}
    for path in sorted((_ROOT / "sentences").glob("*.py")):
        above: list[str] = []
        for line in path.read_text("utf-8").splitlines():
            key = re.match(r' +"([\w-]+)": ', line)
            if above and key is not None and key[1] in forms():
                found[key[1]] = " ".join(above)
            comment = re.match(r" +# (.+)", line)
            above = [*above, comment[1]] if comment is not None else []
    return found


def main(words: Sequence[str]) -> None:
    """Print the sentences that are asked for, or all of them."""
    parser = argparse.ArgumentParser(description="List sentences and when they are said.")
    parser.add_argument("keys", nargs="*", metavar="KEY")
    parser.add_argument("--but", type=Path, metavar="FILE", help="leave out the keys in it")
    asked = parser.parse_args(words)
    left_out = asked.but.read_text("utf-8").split() if asked.but is not None else []
    wanted = {*(asked.keys or forms())} - {*left_out}
    notes = comments()
    for key, found in ((key, found) for key, found in places().items() if key in wanted):
        said = [f"### {key}", forms()[key]["en"], *([notes[key]] if key in notes else [])]
        rows = [
            f"- {one.file}:{one.line}, in `{one.function or 'the module'}`: "
            + ("; ".join(f"`{test}`" for test in one.tests) or "always")
            for one in found
        ]
        sys.stdout.write("\n\n".join([*said, "\n".join(rows)]) + "\n\n")


if __name__ == "__main__":
    main(sys.argv[1:])
