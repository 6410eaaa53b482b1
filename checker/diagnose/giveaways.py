"""What the source itself gives away: where a gradient is cut, a state kept, a layer made anew."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from itertools import pairwise

from ..judge.source import Source
from .asked import regrown
from .blocks import Function
from .expressions import called, name_of, span
from .signatures import default_of, given_to, parameters

__all__ = [
    "RANDOM", "call_line", "called_late", "changed", "cut_around", "cut_line", "kept_line",
    "keyword_line", "made_in_forward", "mode_line", "of_record", "random_line", "recast_line",
    "root_of", "stand_ins", "state_line", "written",
]  # fmt: skip

_CUT = ("detach", "detach_", "no_grad", "data", "set_grad_enabled", "inference_mode", "item",
        "tolist", "numpy", "requires_grad_")  # fmt: skip
# Methods that change a container.
_CHANGING = {"append", "add", "extend", "insert", "update", "setdefault", "appendleft"}
# What draws random numbers, or drops something that is no entry of its own.
RANDOM = ("rand", "randn", "rand_like", "randn_like", "bernoulli", "normal", "randperm", "randint",
          "randint_like", "multinomial", "uniform_", "bernoulli_", "normal_", "random_", "random",
           "Dropout1d", "Dropout2d", "Dropout3d", "AlphaDropout", "FeatureAlphaDropout",
           "dropout1d", "dropout2d", "dropout3d", "alpha_dropout",
           "feature_alpha_dropout")  # fmt: skip

# Calls that make one number of many.
_SUMMING = {"sum", "dot", "mean", "inner", "vdot", "prod", "amax", "max", "norm", "logsumexp"}
# What a method that sets the mode of a module calls, or goes through, for its parts.
_HANDING_ON = {"super", "children", "modules", "named_children", "named_modules", "apply", "Module"}
# What an argument is called that says whether dropout drops.
_MODES = {"training", "train", "is_training", "train_mode"}
# Decorators by which a function gives the same object again.
_REMEMBER = {"cache", "lru_cache"}
_SIZES = {"shape", "size", "device", "dtype"}
_PLAIN = {"math", "numpy", "cmath"}
_COPYING = {"dict", "list", "copy"}
_OUTER = (ast.Global, ast.Nonlocal)
_CONTAINERS = (ast.Dict, ast.List, ast.Set, ast.Call)


def state_line(source: Source, class_name: str) -> int | None:
    """The line that keeps something on self or for a file, or that draws random numbers."""
    tree = source.classes.get(class_name)
    own = filter(None, map(_kept_on_self, source.lineage(class_name)))
    kept = next(own, None) or mode_line(source.tree)
    return kept or random_line(tree) or kept_line(source.tree) or _remembered_line(source.tree)


def _remembered_line(tree: ast.AST) -> int | None:
    """The line that changes in place what a function that remembers its results gave."""
    functions = [one for one in ast.walk(tree) if isinstance(one, ast.FunctionDef)]
    remembering = {
        one.name for one in functions for decorator in one.decorator_list
        if {*map(name_of, ast.walk(decorator))} & _REMEMBER
    }  # fmt: skip
    for function in functions:
        nodes = [*ast.walk(function)]
        given = {
            name_of(target) for one in nodes if isinstance(one, ast.Assign)
            and {*map(name_of, ast.walk(one.value))} & remembering for target in one.targets
        } - {""}  # fmt: skip
        for one in nodes:
            target = one.target if isinstance(one, ast.AugAssign) else None
            if isinstance(one, ast.Subscript) and isinstance(one.ctx, ast.Store):
                target = one.value
            if isinstance(one, ast.Call) and called(one).endswith("_"):
                target = getattr(one.func, "value", None)
            made = name_of(target.func) if isinstance(target, ast.Call) else ""
            if target is not None and (root_of(target) in given or made in remembering):
                return target.lineno
    return None


def mode_line(tree: ast.AST) -> int | None:
    """Where `train` hands the mode on to no part, or is asked for as if it were `training`."""
    asked = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name in {"train", "eval"}:
            # A function of that name that is no method trains a model.
            own = [argument.arg for argument in node.args.args[:1]] == ["self"]
            if own and not {*map(name_of, ast.walk(node))} & _HANDING_ON:
                return node.lineno
        for one in ast.walk(node.test) if isinstance(node, (ast.If, ast.IfExp)) else ():
            if isinstance(one, ast.Attribute) and one.attr == "train" and id(one) not in asked:
                return one.lineno
    return _untold(tree)


def _untold(tree: ast.AST) -> int | None:
    """A call that leaves a function to take it that it trains, as it does where nobody says."""
    helpers = {node.name: node for node in ast.walk(tree)
               if isinstance(node, ast.FunctionDef) and not node.name.startswith("__")}  # fmt: skip
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        helper = helpers.get(called(call))
        # What is handed on as a whole is not read.
        if helper is None or any(keyword.arg is None for keyword in call.keywords):
            continue
        for name in _MODES.intersection(parameters(helper)):
            usual = default_of(helper, name)
            trains = isinstance(usual, ast.Constant) and usual.value is True
            if trains and given_to(call, helper, name) is None:
                return call.lineno
    return None


def _kept_on_self(tree: ast.AST | None) -> int | None:
    """The line of a method that binds or fills an attribute of its object.

    One that keeps a size, by which what is kept is known again, is meant where there is no other.
    """
    sized = None
    for function in _forwards(tree):
        for node in ast.walk(function):
            if isinstance(node, (ast.Assign, ast.AugAssign)):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                for one in targets:
                    target = one.value if isinstance(one, ast.Subscript) else one
                    if isinstance(target, ast.Attribute) and _is_self(target.value):
                        if not _is_size(node.value):
                            again = regrown(tree or node, node.lineno)
                            return again or node.lineno
                        sized = sized or node.lineno
            if isinstance(node, ast.Call) and _changes(node.func):
                return node.lineno
    return sized


def _is_size(value: ast.expr) -> bool:
    """Whether a value is a constant, or what tells a tensor's kind from another's."""
    if isinstance(value, ast.Tuple):
        return all(map(_is_size, value.elts))
    inner = value.value if isinstance(value, ast.Subscript) else value
    called = inner.func if isinstance(inner, ast.Call) else inner
    return isinstance(value, ast.Constant) or getattr(called, "attr", "") in _SIZES


def kept_line(tree: ast.AST) -> int | None:
    """The line that keeps something in the file, on a function, in a default or on an object."""
    shared = {name.id for node in getattr(tree, "body", []) for name in _names(node)}
    for function in _forwards(tree):
        told = {n for one in ast.walk(function) if isinstance(one, _OUTER) for n in one.names}
        defaults = zip(reversed(function.args.args), reversed(function.args.defaults), strict=False)
        kept = shared | {one.arg for one, value in defaults if isinstance(value, _CONTAINERS)}
        for node in ast.walk(function):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in told:
                return node.lineno
            if isinstance(own := changed(node), ast.Name) and own.id in kept:
                return _key_line(node, function) or own.lineno
    return _kept_on_self(tree)


def _key_line(entry: ast.AST, function: ast.FunctionDef) -> int | None:
    """Where the key was put together by which something is kept, if an argument is not in it."""
    key = name_of(entry.slice) if isinstance(entry, ast.Subscript) else ""
    made = (one for one in ast.walk(function) if isinstance(one, ast.Assign)
            and key and key in map(name_of, one.targets))  # fmt: skip
    for one in made:
        told = {*map(name_of, ast.walk(one.value))}
        if any(each.arg not in told for each in function.args.args if each.arg != "self"):
            return one.lineno
    return None


def changed(node: ast.AST) -> ast.expr | None:
    """What an assignment to an entry or an attribute, or a method that adds to it, changes."""
    if isinstance(node, (ast.Subscript, ast.Attribute)) and isinstance(node.ctx, ast.Store):
        return node.value
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.value if node.func.attr in _CHANGING else None
    return None


def written(tree: ast.AST, line: int) -> set[str]:
    """The names of what is changed in place above a line, as `x.copy_(y)` and `x[0] = y` do."""
    before = [one for one in ast.walk(tree) if getattr(one, "lineno", line) < line]
    calls = (one for one in before if isinstance(one, ast.Call) and called(one).endswith("_"))
    told = (getattr(one.func, "value", None) for one in calls)
    return {root_of(one) for one in (*told, *map(changed, before)) if one is not None}


def called_late(functions: Sequence[Function], lines: Sequence[int]) -> int | None:
    """The line that calls what reads an attribute, behind a call of the method that sets it.

    lines: that on which it is read, and those that called it.
    """
    for line, caller in pairwise(lines):
        read = {
            node.attr for one in functions for node in ast.walk(one)
            if isinstance(node, ast.Attribute) and node.lineno == line
        }  # fmt: skip
        setting = {
            getattr(one, "name", "") for one in functions for node in ast.walk(one)
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
            and node.attr in read and line not in span(one)
        }  # fmt: skip
        around = [one for one in functions if caller in span(one)]
        made = (node for one in around for node in ast.walk(one) if isinstance(node, ast.Call))
        if any(called(call) in setting - {"__init__"} for call in made if call.lineno < caller):
            return caller
    return None


def of_record(tree: ast.AST, function: ast.AST) -> bool:
    """Whether a function is a method of a class that is not called itself, as a cache is not."""
    owners = (one.body for one in ast.walk(tree)
              if isinstance(one, ast.ClassDef) and function in one.body)  # fmt: skip
    named = ({getattr(part, "name", "") for part in body} for body in owners)
    return any(not {"forward", "__call__"} & names for names in named)


def stand_ins(function: ast.AST, given: set[str]) -> tuple[set[str], set[str]]:
    """The names of shallow copies of what a function was given, and others that it stands under.

    A part of it is not copied when it gets a name of its own.
    """
    copied, others = set[str](), set[str]()
    for node in ast.walk(function):
        for name, value in _bound(node) if isinstance(node, ast.Assign) else ():
            for one in _choices(value):
                source = _copied(one)
                if source is not None and {*map(name_of, _choices(source))} & given:
                    copied.add(name)
                if root_of(one) in given:
                    others.add(name)
    return copied, others


def root_of(node: ast.expr) -> str:
    """The name that attributes and entries are taken of."""
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    return getattr(node, "id", "")


def _choices(value: ast.expr) -> list[ast.expr]:
    """What a value is, of `a if b else c` and `a or b` either of the two."""
    each = [value.body, value.orelse] if isinstance(value, ast.IfExp) else [value]
    return [part for one in each for part in (one.values if isinstance(one, ast.BoolOp) else [one])]


def _bound(node: ast.Assign) -> list[tuple[str, ast.expr]]:
    """The names that an assignment binds, each with its value, or with what is taken apart."""
    pairs = list[tuple[ast.expr, ast.expr]]()
    for target in node.targets:
        parts = target.elts if isinstance(target, ast.Tuple) else [target]
        each = getattr(node.value, "elts", [])
        apart = len(each) == len(parts) > 1
        pairs += zip(parts, each if apart else [node.value] * len(parts), strict=True)
    return [(name_of(one), value) for one, value in pairs if isinstance(one, ast.Name)]


def _copied(value: ast.expr) -> ast.expr | None:
    """What a value is a shallow copy of: `dict(cache)`, `cache.copy()`, `[*cache]`, `{**cache}`."""
    if isinstance(value, ast.Call) and called(value) in _COPYING:
        own = getattr(value.func, "value", None)
        return value.args[0] if value.args else own
    if isinstance(value, ast.List) and len(value.elts) == 1:
        return getattr(value.elts[0], "value", None)
    if isinstance(value, ast.Dict) and value.keys == [None]:
        return value.values[0]
    return None


def _names(node: ast.stmt) -> list[ast.Name]:
    """What a statement of a file binds, a function's own name among it."""
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        return [ast.Name(id=node.name)]
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    return [one for one in targets if isinstance(one, ast.Name)]


def _changes(method: ast.expr) -> bool:
    """Whether it changes a container that is kept on self."""
    own = method.value if isinstance(method, ast.Attribute) else None
    kept = isinstance(own, ast.Attribute) and _is_self(own.value)
    return kept and getattr(method, "attr", "") in _CHANGING


def random_line(tree: ast.AST | None) -> int | None:
    """The first line of a class that draws random numbers."""
    return call_line(tree, RANDOM)


def _forwards(tree: ast.AST | None) -> list[ast.FunctionDef]:
    nodes = ast.walk(tree) if tree is not None else []
    return [n for n in nodes if isinstance(n, ast.FunctionDef) and n.name != "__init__"]


def _is_self(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id == "self"


def cut_line(tree: ast.AST | None) -> int | None:
    """The line of a class at which a gradient may be cut off."""
    for function in _forwards(tree):
        for decorator in function.decorator_list:
            if any(isinstance(n, ast.Attribute) and n.attr in _CUT for n in ast.walk(decorator)):
                return decorator.lineno
        for node in ast.walk(function):
            if isinstance(node, ast.Attribute) and node.attr in _CUT:
                return node.lineno
    return call_line(tree, ("set_grad_enabled",))


def recast_line(tree: ast.AST, name: str) -> int | None:
    """The line that makes plain numbers of a tensor, or a tensor of those: no gradient follows.

    name: of what gets none. Its own line is meant, else one that takes what torch has summed.
    """
    leaf = name.rpartition(".")[2]
    # What comes of math, or of numpy, by its own name.
    plain = {
        each.asname or each.name
        for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module in _PLAIN
        for each in node.names
    }  # fmt: skip
    recast = [
        (node.lineno, {*map(name_of, ast.walk(argument))}, argument)
        for function in _forwards(tree)
        for node in ast.walk(function) if isinstance(node, ast.Call) and _recasts(node.func, plain)
        for argument in node.args[:1]
    ]  # fmt: skip
    own = (line for line, names, _ in recast if leaf and leaf in names)
    summed = (line for line, _, argument in recast if any(map(_sums, ast.walk(argument))))
    return next(own, None) or next(summed, None)


def _recasts(function: ast.expr, plain: set[str]) -> bool:
    """Whether a call leaves torch or comes back to it: `float`, `math.exp`, `torch.tensor`.

    plain: what else makes plain numbers, by its own name.
    """
    if isinstance(function, ast.Name):
        return function.id in {"float", "tensor"} | plain
    owner = getattr(function, "value", None)
    return isinstance(function, ast.Attribute) and (
        function.attr in {"tensor", "new_tensor"} or getattr(owner, "id", "") in {"math", "np"}
    )


def _sums(node: ast.AST) -> bool:
    """Whether a node is a product of tensors, or a sum over one."""
    product = isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult)
    return product or (isinstance(node, ast.Call) and called(node) in _SUMMING)


def cut_around(tree: ast.AST, line: int | None, *, alone: bool = False) -> int | None:
    """The line that turns gradients off for another one: the nearest `with`, or a decorator.

    alone: whether the rest of what it turns off may be: then a `with` of more than that line isn't
    wrong as a whole.
    """
    found: list[int] = []
    blocks = (n for n in ast.walk(tree) if isinstance(n, (ast.With, ast.FunctionDef)))
    for block in (n for n in blocks if line is not None and line in span(n)):
        within = isinstance(block, ast.With)
        if alone and within and len(block.body) > 1:
            return line
        heads = [i.context_expr for i in block.items] if within else block.decorator_list
        for head in heads:
            off = (n for n in ast.walk(head) if isinstance(n, ast.Attribute) and n.attr in _CUT)
            found += [head.lineno] if any(off) else []
    return max(found, default=None)


def call_line(tree: ast.AST | None, names: tuple[str, ...]) -> int | None:
    """The first line that calls something of these names, the first of them before the next."""
    first: dict[str, int] = {}
    for node in ast.walk(tree) if tree is not None else []:
        if isinstance(node, ast.Call):
            first.setdefault(called(node), node.lineno)
    return next((first[name] for name in names if name in first), None)


def keyword_line(tree: ast.AST | None, name: str, value: object) -> int | None:
    """The first line where a call's keyword has this value."""
    given = (node for node in ast.walk(tree or ast.Module([], [])) if isinstance(node, ast.keyword))
    for one in given:
        if one.arg == name and isinstance(one.value, ast.Constant) and one.value.value == value:
            return one.value.lineno
    return None


def made_in_forward(tree: ast.AST | None) -> int | None:
    """A layer or parameter that forward makes afresh at every call."""
    for function in _forwards(tree):
        if function.name in {"forward", "__call__"}:
            line = call_line(function, ("Linear", "Parameter", "randn", "rand"))
            if line is not None:
                return line
    return None
