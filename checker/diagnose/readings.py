"""Which statement a line has its numbers from: a start, an index, an end, a base, a position."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TypeGuard

from ..process.answers import Step
from ..vocabulary import forward_role
from .expressions import (
    bounds,
    calculates,
    called,
    calls,
    computes,
    fractional,
    moved_name,
    name_of,
    of_a_library,
    picked_by,
    plainly,
    scaling,
    shifts,
    slice_ends,
    span,
    starts,
)  # fmt: skip
from .giveaways import written
from .loops import Loop, extent, over
from .origins import Definition, Origins
from .signatures import default_of, given_to, parameters

__all__ = ["Readings"]

# Calls that read a size, and make no tensor.
_SIZES = {"size", "len", "int", "get", "max", "min"}
# Calls that make a tensor of numbers.
_OF_NUMBERS = {"tensor", "as_tensor", "from_numpy"}
# Calls that lay copies of something side by side.
_REPEATS = {"repeat", "repeat_interleave", "tile", "cat", "concat", "expand", "stack"}
_DEPTH = 4
# From where a vector is turned it is further to where its position was read.
_FAR = 6
_Named = ast.Name | ast.Attribute
# What makes all that a loop goes through at once.
_GATHERS = (ast.Call, ast.ListComp, ast.DictComp, ast.SetComp, ast.GeneratorExp, ast.Subscript)
# Calls that make a tensor of a size, or of another's.
_ALLOCATES = {
    "zeros", "empty", "full", "zeros_like", "empty_like", "full_like", "new_zeros", "new_empty",
}  # fmt: skip


class Readings(Origins):
    """Follows what a line calculates with to the statement that read it or worked it out."""

    def start(self, lines: list[int]) -> int | None:
        """Where what a line reads, and what stands around it changes, was first set."""
        read = {ast.unparse(n) for n in ast.walk(self._head(lines)) if _named(n)}
        loops = self._loops_around(lines[0])
        around = [one for one in self._classes() if lines[0] in span(one)]
        for scope in (*loops, self._function(lines[0]) or ast.Pass()):
            for own in filter(None, map(_changed, ast.walk(scope))):
                if ast.unparse(own) not in read:
                    continue
                if isinstance(own, ast.Attribute):
                    made = self._field(own.attr, around) or self._defined(own, lines)
                else:
                    made = self._local(own.id, scope.lineno) if scope in loops else None
                if made is not None and made.line != own.lineno:
                    return made.line
        return None

    def carried(self, lines: list[int]) -> int | None:
        """Where the loop around a line sets what the line reads, for its next round or before."""
        read = {ast.unparse(n) for n in ast.walk(self._head(lines)) if _named(n)}
        inside = (
            n for loop in self._loops_around(lines[0]) for one in loop.body for n in ast.walk(one)
        )
        sets = {one.lineno for one in map(_changed, inside) if one and ast.unparse(one) in read}
        later, before = ([n for n in sets if (n > lines[0]) is after] for after in (True, False))
        return min(later, default=max(before, default=None))

    def cut(self, ran: set[int]) -> int | None:
        """Where a loop works out the end of a slice: how many keys a query sees."""
        found = list[int]()
        for node in ast.walk(self.tree):
            for end in slice_ends(node) if self._in_turn(node, ran) else ():
                made = self._local(end.id, end.lineno) if isinstance(end, ast.Name) else None
                if calculates(end) or bounds(end):
                    found.append(end.lineno)
                elif made is not None and (calculates(made.value) or bounds(made.value)):
                    found.append(made.line)
        return min(found, default=None)

    def _in_turn(self, node: ast.AST, ran: set[int]) -> bool:
        """Whether a loop comes by a node that ran, or calls the helper that it stands in."""
        line = getattr(node, "lineno", 0)
        if line in ran:
            return bool(self._loops_around(line))
        name = getattr(self._function(line), "name", "")
        if not name or not isinstance(node, ast.Call):
            return False
        called_on = (call.lineno for call in calls(self.tree) if called(call) == name)
        return any(map(self._loops_around, called_on))

    def scaled_below(self, lines: list[int]) -> int | None:
        """Where, below its first line, a statement works out what it scales by."""
        below = (
            one.lineno for one in scaling(self._statement(lines[0]))
            if one.lineno > lines[0] and computes(one, named=False)
        )  # fmt: skip
        return next(below, None)

    def chosen(self, lines: list[int]) -> list[int]:
        """Lines without those that do nothing but call the library's function they were given."""
        while len(lines) > 1:
            function = self._function(lines[0])
            call = getattr(self._head(lines), "value", None)
            name = getattr(getattr(call, "func", None), "id", "")
            if function is None or name not in parameters(function):
                break
            own = getattr(function, "name", "")
            many = [one for one in calls(self._head(lines[1:])) if called(one) == own]
            given = [given_to(one, function, name) for one in many]
            if not given or not all(map(of_a_library, given)):
                break
            lines = lines[1:]
        return lines

    def index(self, lines: list[int]) -> int | None:
        """Where what a line picks by was worked out, or what it uses picked by what is.

        Of a line that brings something into other axes and no more: where that was made.
        """
        statement = self._head(lines)
        name = moved_name(statement)
        held = self._local(name, lines[0]) if name else None
        if held is not None and {*map(called, calls(held.value))} & _REPEATS:
            return held.line
        for name in (n for pick in picked_by(statement) for n in ast.walk(pick) if _named(n)):
            made = self._defined(name, lines)
            if made is not None and calculates(made.value):
                return made.line
            # A helper of the file's own may have worked it out.
            told = called(made.value) if made and isinstance(made.value, ast.Call) else ""
            last = self._last_return(told)
            if last is not None and calculates(last):
                return last.lineno
        used = [n for n in ast.walk(statement) if isinstance(n, ast.Name)]
        picked = {
            made.line for name in used if (made := self._local(name.id, lines[0]))
            for pick in picked_by(made.value) if calculates(pick)
        }  # fmt: skip
        return picked.pop() if len(picked) == 1 else None

    def made_like(self, role: str, line: int) -> int | None:
        """Where what a line uses was made as large as an argument of some role."""
        for node in ast.walk(self._statement(line) or ast.Pass()):
            made = self._local(node.id, line) if isinstance(node, ast.Name) else None
            call = made.value if made is not None else None
            if made is None or not isinstance(call, ast.Call) or called(call) not in _ALLOCATES:
                continue
            # Its sizes, or what it is to be like, without what it is a method of.
            told = [n.id for given in call.args for n in ast.walk(given) if isinstance(n, ast.Name)]
            whole = not any(isinstance(given, ast.Subscript) for given in call.args)
            if whole and len(call.args) == 1 and {*map(forward_role, told)} == {role}:
                return made.line
        return None

    def summed(self, lines: list[int]) -> int | None:
        """Where the sum that a line divides by was taken, over an axis that is not the last."""
        for node in ast.walk(self._head(lines)):
            if not (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div)):
                continue
            made = self._local(getattr(node.right, "id", ""), lines[0])
            for call in calls(made.value) if made is not None else ():
                named = [word.value for word in call.keywords if word.arg in {"dim", "axis"}]
                axes = [ast.unparse(axis) for axis in (*named, *call.args)]
                if made is not None and called(call) == "sum" and axes and "-1" not in axes:
                    return made.line
        return None

    def number(self, lines: list[int]) -> int | None:
        """Where the one number that a line uses by a name of its own comes from."""
        used = [node for node in ast.walk(self._head(lines)) if _named(node)]
        written = {*filter(None, (self._written(node, lines, _DEPTH) for node in used))}
        return written.pop() if len(written) == 1 else None

    def lined_up(self, step: Step) -> int | None:
        """Where a norm or activation was put: where it is called, or lined up in a Sequential."""
        module = step.module or ""
        made = self._attribute(module.split(".")[0]) if "." in module else None
        for call in calls(made.value) if made is not None else []:
            if called(call).lower() == step.call.replace("_", ""):
                return call.lineno
        return step.line

    def offset(self, lines: list[int]) -> int | None:
        """Where the number that positions begin at was read from what an earlier call returned."""
        return self._read_from(self._head(lines), lines, self._handed_on(), _FAR)

    def begun(self, lines: list[int]) -> int | None:
        """Where a helper that counts positions from an argument on was told the first of them."""
        own = self._function(lines[0]) if lines[1:] else None
        made = next(filter(None, (self._given(name, lines) for name in starts(own))), None)
        # What is left to its default is the caller's affair.
        read = self._local(getattr(made.value, "id", ""), lines[1]) if made is not None else None
        return lines[1] if made is not None and read is None else getattr(read, "line", None)

    def loop_end(self, loop: Loop) -> int | None:
        """Where the name by which a loop over a range ends, or what it goes through, was made."""
        return self._end_of(over(loop), loop.lineno)

    def fold(self, lines: Sequence[int]) -> ast.Call | None:
        """The `reduce` on one of some lines, or the only one: what it goes through comes second."""
        folds = [one for one in calls(self.tree) if called(one) == "reduce" and one.args[1:]]
        here = [one for one in folds if one.lineno in lines]
        return next(iter(here or (folds if len(folds) == 1 else ())), None)

    def fold_end(self, fold: ast.Call) -> int | None:
        """Where what a `reduce` goes through was made."""
        return self._end_of(fold.args[1], fold.lineno)

    def handed_on(self, step: Step, line: int) -> int:
        """Where what a line calls, by an argument's name alone, was handed on; else the line.

        Of a tensor made of plain numbers that have a name, where these were worked out.
        """
        own = {name for one in self.functions if line in span(one) for name in parameters(one)}
        loops = (one for one in self._loops_around(line) if isinstance(one, ast.For))
        own |= {one.id for loop in loops for one in ast.walk(loop.target) if _is_name(one)}
        by_name = (one.func for one in calls(self._head([line])))
        if line not in step.lines or not any(_is_name(one) and one.id in own for one in by_name):
            return self._plain_numbers(step, line) or line
        place = step.lines.index(line)
        inside = self._function(step.lines[place - 1]) if place else None
        name = getattr(inside, "name", "") if place else step.call.strip("_")
        made = {id(one.func) for one in calls(self.tree)}
        given = {
            node.lineno for node in ast.walk(self.tree)
            if _named(node) and name_of(node) == name and id(node) not in made
        }  # fmt: skip
        return given.pop() if name and len(given) == 1 else line

    def _plain_numbers(self, step: Step, line: int) -> int | None:
        """Where a list was worked out of which a line does nothing but make a tensor."""
        for call in calls(self._head([line])) if step.call in _OF_NUMBERS else ():
            listed = call.args[0] if called(call) in _OF_NUMBERS and call.args else None
            made = self._local(getattr(listed, "id", ""), line)
            # What begins empty is filled elsewhere.
            if made is not None and isinstance(made.value, (ast.Call, ast.BinOp, ast.ListComp)):
                return made.line
        return None

    def given_by(self, lines: list[int], others: set[str], *, made: bool) -> list[int]:
        """From the caller's line on, where a helper works with all that it takes, and that alone.

        others: the functions that are asked for. made: whether the line may also name what it
        makes, of numbers that it takes as they are.
        """
        while len(lines) > 1:
            function = self._function(lines[0])
            name = getattr(function, "name", "")
            if function is None or name in {*others, "", "forward", "__call__"}:
                break
            names = [one for one in ast.walk(function) if _is_name(one)]
            read = {one.id for one in names if isinstance(one.ctx, ast.Load)}
            own = {one.id for one in names if isinstance(one.ctx, ast.Store)}
            own |= written(function, lines[0])
            nodes = [*ast.walk(self._head(lines))]
            here = {one.id for one in nodes if _is_name(one)
                    and not (made and isinstance(one.ctx, ast.Store))}  # fmt: skip
            parts = {
                name_of(n.value) for n in nodes if isinstance(n, (ast.Attribute, ast.Subscript))
            }
            taken = {*parameters(function)}
            if own & here or not taken <= read or (made and taken & parts):
                break
            lines = lines[1:]
        return lines

    def _end_of(self, through: ast.expr | None, line: int) -> int | None:
        end, ranged = extent(through)
        made = self._local(getattr(end, "id", ""), line)
        if made is None:
            return self._formula(called(end)) if isinstance(end, ast.Call) else None
        if isinstance(made.value, Loop) and not ranged:
            return self._end_of(over(made.value), made.line) or made.line
        known = calculates(made.value) if ranged else isinstance(made.value, _GATHERS)
        return made.line if known else None

    def _written(self, node: _Named, lines: list[int], depth: int) -> int | None:
        """Where a name's number was written down, left to its default, or worked out by itself."""
        left = self._left_out(node, lines)
        if left is not None or depth == 0:
            return left
        made = self._defined(node, lines)
        value = None if made is None else made.value
        if made is None or value is None:
            return None
        if isinstance(value, ast.Constant):
            return made.line if type(value.value) in {int, float} else None
        if _named(value) and made.line != lines[0]:
            return self._written(value, [made.line], depth - 1)
        if isinstance(node, ast.Attribute) and plainly(value) and fractional(value):
            return made.line
        if isinstance(value, ast.Call) and not calculates(value):
            return self._formula(called(value))
        return None

    def _left_out(self, node: _Named, lines: list[int]) -> int | None:
        """The call that leaves an argument to its default, a number."""
        function = self._function(lines[0])
        name = getattr(node, "id", "")
        if function is None or isinstance(function, ast.Lambda) or name not in parameters(function):
            return None
        default = default_of(function, name)
        if not isinstance(default, ast.Constant) or self._local(name, lines[0]) is not None:
            return None
        owner = next((c.name for c in self._classes() if function in c.body), "")
        own = owner if function.name == "__init__" else function.name
        made = function.name == "__init__" or function.name in {"forward", "__call__"}
        where = self.tree if made else self._head(lines[1:]) if lines[1:] else None
        many = [one for one in calls(where) if called(one) == own]
        left = [one.lineno for one in many if given_to(one, function, name) is None]
        return left[0] if left and len(left) == len(many) else None

    def _formula(self, name: str) -> int | None:
        """The last return of the file's own function of plain numbers."""
        last = self._last_return(name)
        return last.lineno if last is not None and plainly(last) else None

    def _last_return(self, name: str) -> ast.Return | None:
        """The last return of the file's own function of a name, with what it gives."""
        named = (one for one in self.functions if name and getattr(one, "name", None) == name)
        many = [n for one in named for n in ast.walk(one) if isinstance(n, ast.Return) and n.value]
        return many[-1] if many else None

    def _read_from(
        self, node: ast.AST, lines: list[int], state: set[str], depth: int
    ) -> int | None:
        """Where a name of an expression was read from one of the arguments of a forward."""
        if depth == 0 or shifts(node):
            return None
        for name in (one for one in ast.walk(node) if isinstance(one, ast.Name)):
            made = self._size_of(name.id, lines, state) or self._defined(name, lines)
            if made is None or made.line == lines[0]:
                continue
            if _reads(made.value, state):
                return made.line
            before = lines[1:] if lines[1:2] == [made.line] else [made.line, *lines[1:]]
            found = self._read_from(made.value, before, state, depth - 1)
            if found is not None:
                return found
        return None

    def _size_of(self, name: str, lines: list[int], state: set[str]) -> Definition | None:
        """Of several definitions of a name the one that reads a size of what is handed on."""
        many = self._locals(name, lines[0])
        return next((one for one in many if _reads(one.value, state)), None)

    def _handed_on(self) -> set[str]:
        """What the forward of the class takes beside its input."""
        methods = (one for one in ast.walk(self.own) if isinstance(one, ast.FunctionDef))
        return {n for one in methods if one.name == "forward" for n in parameters(one)[1:]}

    def _head(self, lines: list[int]) -> ast.AST:
        return self._statement(lines[0]) or ast.Pass()

    def _loops(self) -> Iterator[ast.For | ast.While]:
        return (node for node in ast.walk(self.tree) if isinstance(node, (ast.For, ast.While)))

    def _loops_around(self, line: int) -> list[ast.For | ast.While]:
        return [one for one in self._loops() if line in span(one)]


def _is_name(node: ast.AST) -> TypeGuard[ast.Name]:
    return isinstance(node, ast.Name)


def _named(node: ast.AST) -> TypeGuard[_Named]:
    return isinstance(node, (ast.Name, ast.Attribute))


def _changed(node: ast.AST) -> _Named | None:
    """What a node binds anew, or changes in place."""
    own = node if isinstance(getattr(node, "ctx", None), ast.Store) else None
    if isinstance(own, ast.Subscript):
        own = own.value
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        name = node.func.attr
        own = node.func.value if name.endswith("_") and not name.endswith("__") else None
    return own if own is not None and _named(own) else None


def _reads(value: ast.expr, state: set[str]) -> bool:
    """Whether an expression reads a size of one of some names, and makes no tensor."""
    names = {node.id for node in ast.walk(value) if isinstance(node, ast.Name)}
    return bool(names & state) and {*map(called, calls(value))} <= _SIZES
