"""What a slip of the pen may have made of what stands in a loop, by the loop's own names."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..loops import stored
from .names import Names, read_in
from .said import Said

__all__ = ["in_loops"]

# What is replaced, with what, and what that costs.
_Restated = Iterator[tuple[ast.expr | ast.stmt, str, int]]
_LISTS = (ast.ListComp, ast.GeneratorExp, ast.SetComp)


def in_loops(node: ast.AST, names: Names, said: Said) -> _Restated:
    """How what a loop makes may be right: under the name that it is made of, or with its own."""
    if isinstance(node, ast.For):
        yield from _carried(node, names, said)
    elif isinstance(node, _LISTS) and len(node.generators) == 1:
        yield from _listed(node.elt, node.generators[0].target, said)


def _carried(loop: ast.For, names: Names, said: Said) -> _Restated:
    """What each round makes anew of what none changes: `h = layer(x)` for `x = layer(x)`."""
    changed = set[str]().union(*map(stored, loop.body))
    for node in loop.body:
        match node:
            case ast.Assign(targets=[ast.Name()], value=ast.Call(args=args)):
                read = [one.id for one in args if isinstance(one, ast.Name)]
                for name in dict.fromkeys(read):
                    if name in names.known - changed - names.numbers:
                        yield node, f"{name} = {said.bare(node)}", 2
            case _:
                continue


def _listed(made: ast.expr, target: ast.expr, said: Said) -> _Restated:
    """What is made for each: with a name that nothing reads handed over, or bound as it is made."""
    read = {one.id for one in read_in(made)}
    for name in (one.id for one in ast.walk(target) if isinstance(one, ast.Name)):
        if name not in read and isinstance(made, ast.Call) and made.args and not made.keywords:
            yield made, f"{said.bare(made)[:-1].rstrip(', ')}, {name})", 1
        late = [one for one in ast.walk(made) if isinstance(one, ast.Lambda)]
        for function in late if name in read else ():
            taken = ast.unparse(function.args)
            own = {one.arg for one in ast.walk(function.args) if isinstance(one, ast.arg)}
            if name not in own:
                given = ", ".join(filter(None, (taken, f"{name}={name}")))
                yield function, f"lambda {given}: {said.bare(function.body)}", 1
