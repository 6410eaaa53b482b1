"""The branch at which calls that go wrong part from those that are right."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from .asked import answered
from .expressions import span

__all__ = ["Branch", "parting"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch:
    """A branch that calls take which go wrong, or skip, and those that are right do not.

    kind: returns, runs or skips. test: what it asks. lines: its own. line: where to look.
    """

    kind: str
    test: str
    lines: range
    line: int


def parting(
    tree: ast.AST, wrong: Sequence[set[int]], right: Sequence[set[int]], stray: float = 0
) -> Branch | None:
    """The innermost such branch; what is taken tells more than what is skipped.

    wrong, right: of each call the lines that ran. stray: the share of the right ones that may go
    the wrong ones' way all the same.
    """
    functions = (one for one in ast.walk(tree) if isinstance(one, ast.FunctionDef))
    common = [one for one in functions if all(ran & {*span(one)} for ran in right)]
    # The fewer stray, the surer it is.
    for few in range(int(stray * len(right)) + 1):
        found = [each for one in common for each in _branches(one, wrong, right, few)]
        if found:
            told = max(found, key=lambda each: (each.kind != "skips", each.lines.start))
            return _at_its_answer(tree, told) if told.kind == "skips" else told
    return None


def _at_its_answer(tree: ast.AST, branch: Branch) -> Branch:
    """A branch that is skipped, told to where a helper or a flag says so."""
    tests = (one for one in ast.walk(tree) if isinstance(one, ast.If) and one.lineno == branch.line)
    return next((replace(branch, line=answered(tree, one)) for one in tests), branch)


def _branches(
    function: ast.FunctionDef, wrong: Sequence[set[int]], right: Sequence[set[int]], few: int
) -> Iterator[Branch]:
    """The branches of one function that part them."""
    for node, body, test in _bodies(function):
        lines = range(body[0].lineno, span(body[-1]).stop)
        returns = isinstance(body[-1], ast.Return) and body is node.body
        taken = [_taken(node, lines, function, ran, returns=returns) for ran in wrong]
        spared = [_taken(node, lines, function, ran, returns=returns) for ran in right]
        if all(taken) and sum(spared) <= few:
            last = body[-1].lineno if returns else lines.start
            yield Branch(kind="returns" if returns else "runs", test=test, lines=lines, line=last)
        elif sum(spared) >= len(right) - few and _passed_by(node, wrong, taken):
            yield Branch(kind="skips", test=test, lines=lines, line=node.lineno)


def _passed_by(node: ast.If, wrong: Sequence[set[int]], taken: Sequence[bool]) -> bool:
    """Whether each call that goes wrong asks, and goes on elsewhere."""
    return not any(taken) and all(node.lineno in ran for ran in wrong)


def _bodies(function: ast.FunctionDef) -> Iterator[tuple[ast.If, list[ast.stmt], str]]:
    """What stands under each test and under its opposite: what follows where the former returns."""
    for outer in ast.walk(function):
        blocks = (getattr(outer, name, None) for name in ("body", "orelse"))
        for block in (block for block in blocks if isinstance(block, list)):
            for place, node in enumerate(block):
                if not isinstance(node, ast.If):
                    continue
                yield node, node.body, ast.unparse(node.test)
                returns = isinstance(node.body[-1], ast.Return)
                other = node.orelse or (block[place + 1 :] if returns else [])
                if other and not (len(other) == 1 and isinstance(other[0], ast.If)):
                    yield node, other, ast.unparse(ast.UnaryOp(ast.Not(), node.test))


def _taken(
    node: ast.If, lines: range, function: ast.FunctionDef, ran: set[int], *, returns: bool
) -> bool:
    """Whether a call came into a branch.

    One that stands on the line of its test is told by what did not run behind it.
    """
    if lines.start != node.lineno:
        return lines.start in ran
    behind = range(span(node).stop, span(function).stop)
    return returns and node.lineno in ran and not ran & {*behind}
