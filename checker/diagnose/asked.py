"""What a branch asks and where the answer is worked out; what a skipped one would have drawn."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from ..vocabulary import forward_role
from .expressions import assigned, called, calls, name_of, of_self, span

__all__ = [
    "answered", "asks_both", "from_end", "loop_over", "neutral", "read_whatever", "regrown",
    "roles_of", "undrawn",
]  # fmt: skip

_Test = ast.If | ast.IfExp
# What arguments are called that a cache takes the place of.
_REPLACED = ("memory", "length")
# Calls that answer yes or no.
_DECIDE = {"bool", "all", "any", "equal", "allclose", "isinstance"}
# Calls that draw a causal mask.
_DRAW = {"tril", "triu", "tril_", "triu_"}


def answered(tree: ast.AST, node: _Test) -> int:
    """The line on which a branch's answer is worked out, where that is elsewhere, else its own.

    A helper that does nothing but decide has one return, and is asked once; a flag is bound once.
    """
    functions = [one for one in ast.walk(tree) if isinstance(one, ast.FunctionDef)]
    around = max((one for one in functions if node.lineno in span(one)),
                 key=lambda one: one.lineno, default=None)  # fmt: skip
    found = list[int]()
    for one in ast.walk(node.test):
        if isinstance(one, ast.Call):
            asking = [each for each in calls(tree) if called(each) == called(one)]
            named = [each for each in functions if each.name == called(one) and len(asking) == 1]
            returns = [r for each in named for r in ast.walk(each) if isinstance(r, ast.Return)]
            found += [r.lineno for r in returns if len(returns) == 1 and _decides(r.value)]
        elif isinstance(one, ast.Name) and around is not None:
            bound = [each for each in ast.walk(around) if _binds(each, one.id)]
            whole = [each for each in bound if isinstance(each, ast.Assign)]
            found += [each.lineno for each in whole if len(bound) == 1 and _decides(each.value)]
    return found[0] if len(found) == 1 else node.lineno


def undrawn(tree: ast.AST, ran: set[int]) -> int | None:
    """The first condition that kept a causal mask from being drawn, in what is called.

    ran: the lines that did.
    """
    made = {
        line for one in ast.walk(tree)
        if isinstance(one, ast.FunctionDef) and one.name == "__init__" for line in span(one)
    }  # fmt: skip
    for node in (one for one in ast.walk(tree) if isinstance(one, ast.If)):
        inside = range(node.body[0].lineno, span(node.body[-1]).stop)
        drawn = {called(one) for row in node.body for one in calls(row)} & _DRAW
        if drawn and not ran & {*inside} and node.lineno not in made:
            return answered(tree, node)
    return None


def neutral(tree: ast.AST, ran: set[int]) -> int | None:
    """Where a branch gives None, or 0.0, to what the other one works out, and did not then.

    ran: the lines that called torch.
    """
    for node in (one for one in ast.walk(tree) if isinstance(one, ast.If)):
        for mine, other in ((node.body, node.orelse), (node.orelse, node.body)):
            lines = {row.lineno for row in other if calls(row)}
            made = {name_of(target) for row in other for target, value in assigned(row)
                    if not isinstance(value, ast.Constant)}  # fmt: skip
            # A whole number is where positions begin.
            idle = (value.lineno for row in mine for target, value in assigned(row)
                    if name_of(target) in made and isinstance(value, ast.Constant)
                    and type(value.value) is not int)  # fmt: skip
            if lines and not lines & ran and (found := next(idle, None)) is not None:
                return found
    return None


def from_end(tree: ast.AST, line: int | None) -> int | None:
    """The first slice that begins a number before the end, where a line binds that number.

    Where it is 0 there is no end to count from: `x[-0:]` is all of x.
    """
    names = {
        target.id for one in ast.walk(tree) if isinstance(one, ast.Assign) and one.lineno == line
        for target in one.targets if isinstance(target, ast.Name)
    }  # fmt: skip
    lowers = (one.lower for one in ast.walk(tree) if isinstance(one, ast.Slice))
    return min(
        (
            one.lineno for one in lowers
            if isinstance(one, ast.UnaryOp) and isinstance(one.op, ast.USub)
            and getattr(one.operand, "id", None) in names
        ),
        default=None,
    )  # fmt: skip


def loop_over(tree: ast.AST, line: int | None) -> int | None:
    """The first loop that goes by a number which a line outside of the functions writes down."""
    names = {
        target.id for one in ast.walk(tree) if isinstance(one, ast.Assign) and one.lineno == line
        for target in one.targets if isinstance(target, ast.Name)
    }  # fmt: skip
    within = {n for one in ast.walk(tree) if isinstance(one, ast.FunctionDef) for n in span(one)}
    loops = (one for one in ast.walk(tree) if isinstance(one, ast.For | ast.comprehension))
    over = (one.iter for one in loops if isinstance(one.iter, ast.Call))
    return min((one.lineno for one in over if line not in within and names & {*_named(one)}),
               default=None)  # fmt: skip


def regrown(tree: ast.AST, line: int | None) -> int | None:
    """Where what a line sets on `self` is made longer: out of itself, and set again."""
    sets = [one for one in ast.walk(tree) if isinstance(one, ast.Assign)]
    own = {name_of(target) for one in sets if one.lineno == line
           for target in one.targets if of_self(target)}  # fmt: skip
    again = (
        one.lineno for one in sets
        if one.lineno != line and own & {name_of(t) for t in one.targets if of_self(t)} & {
            name_of(part) for part in ast.walk(one.value)
        }
    )  # fmt: skip
    return min(again, default=None)


def _named(node: ast.AST) -> Iterator[str]:
    """The names in a node, of attributes their own."""
    for one in ast.walk(node):
        yield getattr(one, "id", getattr(one, "attr", ""))


def _binds(node: ast.AST, name: str) -> bool:
    """Whether a statement binds a name, be it among others."""
    targets = getattr(node, "targets", [getattr(node, "target", None)])
    told = (one for target in targets if target is not None for one in ast.walk(target))
    return isinstance(node, ast.stmt) and any(getattr(one, "id", "") == name for one in told)


def _decides(value: ast.expr | None) -> bool:
    """Whether an expression is yes or no."""
    if isinstance(value, ast.Call):
        return called(value) in _DECIDE
    negated = isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.Not)
    return negated or isinstance(value, ast.Compare | ast.BoolOp)


def read_whatever(function: ast.AST | None, line: int) -> int | None:
    """Where what a cache takes the place of is read, cache or not: the last until a line."""
    if not isinstance(function, ast.FunctionDef):
        return None
    arguments = [one.arg for one in (*function.args.args, *function.args.kwonlyargs)]
    meant = {name for name in arguments if any(word in name for word in _REPLACED)}
    asked = [
        node for node in ast.walk(function) if isinstance(node, ast.If) and _of_cache(node.test)
    ]
    guarded = {id(one) for node in asked for row in (*node.body, *node.orelse)
               for one in ast.walk(row)}  # fmt: skip
    read = [
        node.lineno for node in ast.walk(function)
        if isinstance(node, ast.Name) and node.id in meant and id(node) not in guarded
    ]  # fmt: skip
    return max((at for at in read if at <= line), default=None)


def _of_cache(test: ast.expr) -> bool:
    """Whether a test asks if there is a cache: of what is kept, whether it is None."""
    return any(isinstance(one, ast.Constant) and one.value is None for one in ast.walk(test))


def roles_of(nodes: Sequence[ast.AST]) -> set[str | None]:
    """The roles of forward's arguments that names among some nodes stand for."""
    return {forward_role(node.id) for node in nodes if isinstance(node, ast.Name)}


def asks_both(*tests: ast.expr) -> bool:
    """Whether tests ask for a mask and `causal`, or for two masks, be it there or not."""
    parts = [node for test in tests for node in ast.walk(test)]
    looked_into = {id(node.value) for node in parts if isinstance(node, ast.Attribute)}
    there = roles_of([node for node in parts if id(node) not in looked_into])
    # What is asked for may be a record's field, as in `request.mask`.
    fields = {forward_role(node.attr) for node in parts if isinstance(node, ast.Attribute)}
    return roles_of(parts) | fields >= {"mask", "causal"} or there >= {"mask", "padding"}
