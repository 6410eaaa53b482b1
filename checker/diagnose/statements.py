"""Which statement of a program a mistake stands in, where no number of the trace shows it.

What a training loop leaves out leaves nothing in a trace; the line is that of the call that is
meant, or of the one that it belongs after.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from .bindings import BINDINGS, returned
from .blocks import Function, applied, approximate, copied, default_eps, shared, twice
from .comparisons import (
    above_zero,
    fixed,
    inputs,
    masked_in_part,
    minus_one,
    one_length,
    one_more,
    ordered,
)  # fmt: skip
from .expressions import name_of, of_self, span
from .kernels import in_kernel
from .loops import (
    accumulated,
    aliased,
    counted,
    early,
    late,
    whole_again,
    window_bounded,
    window_tested,
)  # fmt: skip

__all__ = ["Function", "frozen_line", "statement"]

_SCHEDULE = re.compile(r"LR$|[Ss]chedul")
_OPTIMIZER = re.compile(r"^(Adam|SGD|RMSprop|NAdam|RAdam|Adagrad|Adamax|Lion)|[Oo]ptim")
_POSITIONS = re.compile(r"(^|_)(pos|wpe|pe(_|$)|place)")
_EPS = re.compile(r"(^|_)eps")
_LAST = "last "


def statement(
    functions: Sequence[Function], says: Sequence[str], constructors: Sequence[Function] = ()
) -> int | None:
    """Return the line of the first of the statements that there is; None where there is none.

    says: `step`, `schedule.step`, `zero_grad`, `backward`, `clip`, `train`, `eval` for calls, be
    it that their brackets are forgotten, which with `()` behind it they are not; `optimizer`,
    `schedule` for where these are made; `maximize`, the argument; `clip number`, where the norm is
    written; `fed`, where a model that was handed in gets what it is called with; `called`, where it
    is called; `loop`, the loop around that call; `cut`, where a name gets a part of what it had;
    `stored`, where an attribute or an entry is set; `places`, where a position table gets its;
    `length`, where one is read of an object;
    `start`, where what they are counted from is read of an argument; `handed`, where places are
    made that are handed on; `unplaced`, a call of a part whose forward takes places, without them;
    `thrown`, a call in a loop of what it goes through, whose result is let go; `argmax`; `def`,
    the function itself; `entry`, the one that no other speaks of; `unset`, a call of one of the
    functions that leaves an argument to its default which the caller has under that name; `left`,
    one that leaves any; `shared`, where a constructor puts one part into several places;
    `applied`, where parts are called otherwise than each in its turn; `twice`, where a constructor
    names a norm again that it made once, or gives it two names; `eps`, where one is added to what
    no root is taken of; `default eps`, where a constructor makes an RMSNorm and gives none;
    `copied`, where one sets a weight's numbers; `approximate`, where one makes a GELU with that;
    `fixed`, where targets are held against a number that is written there; `ordered`, where by
    order with the index that is ignored; `one length`, where one of several lengths is read;
    `counted`, where places are counted within a loop; `accumulated`, where a loop adds to what it
    has as it is; `aliased`, where it changes an entry under another name; `late`, where a loop
    makes a function that reads its variable when it is called; `early`, where it takes the parents
    of a step that lies beside its own; `window`, where a branch is chosen by the window's size;
    `bounded`, where the window is held below another number; `whole again`, where a loop gives
    what it calls an argument with another name's value; `above zero`, where a number is asked to
    be above 0; `minus one`, where one is asked whether it is −1; `one more`, where 1 is added to
    what a division leaves; `masked in part`, where scores are hidden on a condition that orders
    numbers; `inputs`, where what a model was given is held against padding;
    `packed`, `unread`, `from zero`, `halved` and `halved at first`, by a constructor, of names, and
    `maps first` of shapes (`bindings`); and what is said of kernels (`in_kernel`).
    With `last` before it the last of several is meant.
    """
    nodes = [node for one in functions for node in ast.walk(one)]
    schedules = {
        target.id
        for node in nodes if isinstance(node, ast.Assign) and _makes(node.value, _SCHEDULE)
        for target in node.targets if isinstance(target, ast.Name)
    }  # fmt: skip
    for said in says:
        wanted = said.removeprefix(_LAST)
        followed = _FOLLOWED.get(wanted)
        kernels = in_kernel(functions, wanted)
        lines = sorted(
            _CONSTRUCTED[wanted](constructors) if wanted in _CONSTRUCTED else
            followed(functions) if followed else kernels if kernels is not None else
            (node.lineno for node in nodes if _is(node, wanted, schedules))  # type: ignore[attr-defined]
        )  # fmt: skip
        if lines:
            return lines[-1 if said.startswith(_LAST) else 0]
    return None


def frozen_line(tree: ast.AST) -> int | None:
    """Return the line on which a weight is kept from learning; None where none says so."""
    for node in ast.walk(tree):
        said: ast.expr | None = None
        if isinstance(node, ast.Call) and name_of(node.func) == "requires_grad_" and node.args:
            said = node.args[0]
        elif isinstance(node, (ast.keyword, ast.Assign)) and "requires_grad" in _written(node):
            said = node.value
        if isinstance(said, ast.Constant) and said.value is False:
            return said.lineno
    return None


def _written(node: ast.keyword | ast.Assign) -> list[str | None]:
    """The names that an argument or an assignment gives a value."""
    return [node.arg] if isinstance(node, ast.keyword) else [*map(name_of, node.targets)]


def _is(node: ast.AST, said: str, schedules: set[str]) -> bool:
    if said.endswith("()"):
        return isinstance(node, ast.Call) and _is(node.func, said[:-2], schedules)
    if said == "maximize":
        return isinstance(node, ast.Call) and any(one.arg == "maximize" for one in node.keywords)
    if said == "optimizer":
        return _makes(node, _OPTIMIZER)
    if said == "schedule":
        return _makes(node, _SCHEDULE) or _sets_rate(node)
    if said == "clip":
        return isinstance(node, (ast.Attribute, ast.Name)) and "clip_grad" in name_of(node)
    if not isinstance(node, ast.Attribute):
        return False
    of_schedule = isinstance(node.value, ast.Name) and node.value.id in schedules
    if said in {"step", "schedule.step"}:
        return node.attr == "step" and of_schedule is (said == "schedule.step")
    return node.attr == said


def _fed(functions: Sequence[Function]) -> Iterator[int]:
    """Where what a model that was handed in is called with was cut out, or else the call."""
    for function in functions:
        for call in _calls_of_arguments(function):
            given = [*call.args, *(one.value for one in call.keywords)][:1]
            entry = _entry_of(given[0], function, functions) if given else None
            if entry is not None:
                yield entry
            else:
                yield _source(function, call.args[0]) if call.args else call.lineno


def _entry_of(given: ast.expr, function: Function, functions: Sequence[Function]) -> int | None:
    """Where another function cut what stands in the dictionary that it returns, if it is that."""
    key = getattr(getattr(given, "slice", None), "value", None)
    name = name_of(given.value) if isinstance(given, ast.Subscript) else name_of(given)
    bound = (node for node in ast.walk(function) if isinstance(node, ast.Assign))
    made = [given, *(one.value for one in bound if name and name in map(name_of, one.targets))]
    makers = {name_of(one.func) for one in made if isinstance(one, ast.Call)} - {""}
    returned = (
        node for one in functions if getattr(one, "name", None) in makers
        for node in ast.walk(one) if isinstance(node, ast.Dict)
    )  # fmt: skip
    for many in returned:
        for own, value in zip(many.keys, many.values, strict=True):
            if isinstance(value, ast.Subscript) and key in {None, getattr(own, "value", None)}:
                return value.lineno
    return None


def _called(functions: Sequence[Function]) -> Iterator[int]:
    """Where a model that was handed in is called."""
    yield from (call.lineno for one in functions for call in _calls_of_arguments(one))


def _loop(functions: Sequence[Function]) -> Iterator[int]:
    for function in functions:
        for loop in ast.walk(function):
            if isinstance(loop, (ast.For, ast.While)):
                inside = span(loop)
                if any(call.lineno in inside for call in _calls_of_arguments(function)):
                    yield loop.lineno


def _places(functions: Sequence[Function]) -> Iterator[int]:
    """Where the numbers by which a position table is read were made."""
    for function in functions:
        for node in ast.walk(function):
            if isinstance(node, ast.Call) and node.args and _POSITIONS.search(name_of(node.func)):
                yield _source(function, node.args[0], made=True)
            elif isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute):
                yield from [node.lineno] * bool(_POSITIONS.search(node.value.attr))


def _start(functions: Sequence[Function]) -> Iterator[int]:
    """Where a position table's places take a number that was read of an argument."""
    for function in functions:
        arguments = {one.arg for one in function.args.args[2:]}
        read = {
            target.id: node.lineno
            for node in ast.walk(function) if isinstance(node, ast.Assign)
            for target in node.targets
            if isinstance(target, ast.Name) and arguments & _names(node.value)
        }  # fmt: skip
        lines = {*_places([function])}
        for node in ast.walk(function):
            if isinstance(node, ast.Assign) and node.lineno in lines:
                yield from (read[name] for name in _names(node.value) & read.keys())


def _handed(functions: Sequence[Function]) -> Iterator[int]:
    """Where places were made that something else than their table is called with."""
    # What a module's attribute is called with goes to some module's forward.
    listed = [[one.arg for one in each.args.args[1:]] for each in functions
              if getattr(each, "name", "") == "forward"]  # fmt: skip
    for function in functions:
        for node in ast.walk(function):
            if isinstance(node, ast.Call) and not _POSITIONS.search(name_of(node.func)):
                named = {one.arg or "": one.value for one in node.keywords}
                for names in listed if of_self(node.func) else ():
                    named |= dict(zip(names, node.args, strict=False))
                named |= {one.id: one for one in node.args if isinstance(one, ast.Name)}
                for value in (one for name, one in named.items() if _POSITIONS.search(name)):
                    line = returned(value, functions)
                    yield line if line != value.lineno else _source(function, value, made=True)


def _cut(functions: Sequence[Function]) -> Iterator[int]:
    for function in functions:
        for node in ast.walk(function):
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Subscript):
                whole = _names(node.value.value)
                yield from (node.lineno for one in node.targets if name_of(one) in whole)


def _stored(functions: Sequence[Function]) -> Iterator[int]:
    for function in functions:
        for node in ast.walk(function):
            if isinstance(node, (ast.Attribute, ast.Subscript)) and isinstance(node.ctx, ast.Store):
                yield node.lineno


def _names(node: ast.expr) -> set[str]:
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}


def _clip_number(functions: Sequence[Function]) -> Iterator[int]:
    for function in functions:
        for node in ast.walk(function):
            if isinstance(node, ast.Call) and "clip_grad" in name_of(node.func):
                yield node.lineno


def _def(functions: Sequence[Function]) -> Iterator[int]:
    """Where the function begins that loops; of several, or where none does, the first."""
    looping = [one for one in functions if any(map(_loops, ast.walk(one)))]
    yield from [one.lineno for one in looping or functions][:1]


def _entry(functions: Sequence[Function]) -> Iterator[int]:
    """Where the function begins that no other of them speaks of."""
    told = {node.id for one in functions for node in ast.walk(one) if isinstance(node, ast.Name)}
    named = (one for one in functions if not isinstance(one, ast.Lambda))
    yield from (one.lineno for one in named if one.name not in told)


def _loops(node: ast.AST) -> bool:
    return isinstance(node, (ast.For, ast.While))


def _thrown(functions: Sequence[Function]) -> Iterator[int]:
    for function in functions:
        for loop in (node for node in ast.walk(function) if isinstance(node, ast.For)):
            let_go = (one.value for one in loop.body if isinstance(one, ast.Expr))
            for call in (one for one in let_go if isinstance(one, ast.Call)):
                if name_of(call.func) == name_of(loop.target) != "":
                    yield call.lineno


def _unset(functions: Sequence[Function], *, under_its_name: bool = True) -> Iterator[int]:
    named = [one for one in functions if isinstance(one, ast.FunctionDef)]
    for function in named:
        own = {one.arg for one in (*function.args.args, *function.args.kwonlyargs)}
        for call in (node for node in ast.walk(function) if isinstance(node, ast.Call)):
            # What a module's attribute is called with goes to some module's forward.
            names = {name_of(call.func)} | ({"forward"} if of_self(call.func) else set())
            for other in (one for one in named if one.name in names and one is not function):
                left = _left(call, other)
                if left & own if under_its_name else left:
                    yield call.lineno


def _left_out(functions: Sequence[Function]) -> Iterator[int]:
    return _unset(functions, under_its_name=False)


def _unplaced(functions: Sequence[Function]) -> Iterator[int]:
    forwards = [one for one in functions if isinstance(one, ast.FunctionDef)
                and one.name == "forward"]  # fmt: skip
    for function in functions:
        for call in (node for node in ast.walk(function) if isinstance(node, ast.Call)):
            others = forwards if of_self(call.func) else []
            left = {name for one in others if one is not function for name in _left(call, one)}
            if any(map(_POSITIONS.search, left)):
                yield call.lineno


def _left(call: ast.Call, function: ast.FunctionDef) -> set[str]:
    """The arguments that a call leaves to their defaults; none where it may be another's.

    A module's attribute may be of another class: what it gives a name to has a parameter's name
    for one, or all that it gives by name has. What is called by its plain name is that very
    function.
    """
    listed = [one.arg for one in function.args.args if one.arg != "self"]
    needed = listed[: len(listed) - len(function.args.defaults)]
    given = {*listed[: len(call.args)], *(one.arg for one in call.keywords)}
    named = {one.arg for one in call.keywords}
    alike = (
        isinstance(call.func, ast.Name)
        or (bool(named) and named <= {*listed})
        or any(name_of(value) == own for value, own in zip(call.args, listed, strict=False))
    )
    if None in given or not given.issuperset(needed) or not alike:
        return set()
    return {*listed, *(one.arg for one in function.args.kwonlyargs)} - given


def _calls_of_arguments(function: Function) -> Iterator[ast.Call]:
    arguments = {one.arg for one in function.args.args}
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in arguments:
            yield node


def _source(function: Function, given: ast.expr, *, made: bool = False) -> int:
    """The line on which an argument was written, be it under a name.

    made: whatever made it; else what cut it out of something, or gave it another name.
    """
    cutting = (ast.Subscript, ast.Name, ast.IfExp)
    name = name_of(given) if isinstance(given, ast.Name) else ""
    for node in ast.walk(function):
        made_here = isinstance(node, ast.Assign) and (made or isinstance(node.value, cutting))
        if made_here and name and name in map(name_of, node.targets):  # type: ignore[attr-defined]
            return node.lineno  # type: ignore[attr-defined]
    return given.lineno


def _eps(functions: Sequence[Function]) -> Iterator[int]:
    """Where what is called eps is added to something that no root is taken of."""
    for function in functions:
        nodes = [*ast.walk(function)]
        within = {one for node in nodes if _rooted(node) for one in ast.walk(node)}
        named = {one.id for one in within if isinstance(one, ast.Name)}
        for node in nodes:
            if isinstance(node, ast.Assign) and named & {name_of(one) for one in node.targets}:
                within.update(ast.walk(node.value))
        added = (one for one in nodes if isinstance(one, ast.BinOp) and type(one.op) is ast.Add)
        for node in added:
            small = any(_EPS.search(name_of(side)) for side in (node.left, node.right))
            if small and node not in within:
                yield node.lineno


def _rooted(node: ast.AST) -> bool:
    """Whether a root is taken: by name, or as a power of a half."""
    if isinstance(node, ast.BinOp):
        power = node.right.operand if isinstance(node.right, ast.UnaryOp) else node.right
        half = isinstance(power, ast.Constant) and power.value == 0.5
        return isinstance(node.op, ast.Pow) and half
    return isinstance(node, ast.Call) and name_of(node.func) in {"sqrt", "rsqrt", "pow"}


_CONSTRUCTED = {
    "shared": shared, "twice": twice, "copied": copied, "default eps": default_eps,
    "approximate": approximate, "halved at first": BINDINGS["halved"],
}  # fmt: skip
_FOLLOWED = {
    "fed": _fed, "loop": _loop, "places": _places, "clip number": _clip_number, "thrown": _thrown,
    "def": _def, "entry": _entry, "called": _called, "start": _start, "handed": _handed,
    "cut": _cut, "stored": _stored, "unset": _unset, "left": _left_out,
    "applied": applied, "eps": _eps, "unplaced": _unplaced,
    "fixed": fixed, "ordered": ordered, "one length": one_length, "counted": counted,
    "accumulated": accumulated, "aliased": aliased, "late": late, "early": early,
    "window": window_tested, "bounded": window_bounded, "above zero": above_zero,
    "minus one": minus_one, "one more": one_more, "masked in part": masked_in_part,
    "inputs": inputs, "whole again": whole_again, **BINDINGS,
}  # fmt: skip


def _makes(node: ast.AST, kind: re.Pattern[str]) -> bool:
    return isinstance(node, ast.Call) and bool(kind.search(name_of(node.func)))


def _sets_rate(node: ast.AST) -> bool:
    """Whether a statement writes an optimizer's `lr`."""
    targets = node.targets if isinstance(node, ast.Assign) else []
    keys = (one.slice for one in targets if isinstance(one, ast.Subscript))
    return any(isinstance(key, ast.Constant) and key.value == "lr" for key in keys)
