"""Lines of a submission, found in its source: where a name is set, used, drawn or returned."""

from __future__ import annotations

import ast
import math
from collections.abc import Sequence

from ..judge.source import Source
from ..process.answers import Step
from ..vocabulary import forward_role
from .expressions import calls
from .loops import stored

__all__ = [
    "HALF_MAX", "Lines", "assignment", "in_place", "overwriting", "own_imports", "replaced",
    "tested", "thrown_away", "writes",
]  # fmt: skip

# The largest number that float16 holds.
HALF_MAX = 65504
# The names without a last underscore that change a tensor in place.
_ASSIGNING = {
    "__setitem__", "__iand__", "__ior__", "__ixor__", "__ilshift__", "__irshift__", "__iadd__",
    "__isub__", "__imul__", "__itruediv__", "__idiv__", "__ifloordiv__", "__imod__", "__ipow__",
}  # fmt: skip


class Lines:
    """Finds lines in the judged class, and where it must in the rest of the file.

    Lines are numbered from 1; what is not found is None.
    """

    def __init__(self, source: Source, class_name: str) -> None:
        self.source = source
        self.own: ast.AST = source.classes.get(class_name, source.tree)

    def assignment(self, attribute: str) -> int | None:
        """The line on which `self.attribute` is set."""
        line = assignment(self.own, attribute)
        return assignment(self.source.tree, attribute) if line is None else line

    def making(self, parameter: str) -> int | None:
        """The line on which a parameter is made, under a text or an attribute of that name."""
        names = [part for part in parameter.split(".") if part not in {"weight", "bias"}]
        texts = sorted(
            node.lineno
            for node in ast.walk(self.own)
            if isinstance(node, ast.Constant) and node.value == names[-1]
        )
        found = [*map(self.assignment, reversed(names))]
        lines = (_set_in_loop(self.own, names[-1]), *texts, *found)
        return next((line for line in lines if line is not None), None)

    def unregistered(self, path: str, *, tensor: bool) -> int | None:
        """The line on which a weight is made that torch does not find.

        path: through lists and attributes. tensor: whether it is one of its own, no layer's.
        """
        holder, leaf = path.split(".", maxsplit=1)[0], path.rpartition(".")[2]
        return self.assignment(leaf if tensor else holder) or self.making(path)

    def naming(self, word: str) -> int | None:
        """The first line of the class (else the file) that holds a word, but for its comments."""
        first = getattr(self.own, "lineno", 1)
        lines = self.source.text.split("\n")
        for number in [*range(first, len(lines) + 1), *range(1, first)]:
            if word in lines[number - 1].partition("#")[0]:
                return number
        return None

    def calling(self, word: str) -> int | None:
        """The line of the first call of what has a word in its name, of a layer that is kept too.

        Not in the constructor, where what is called later is made.
        """
        methods = [n for n in ast.walk(self.own) if isinstance(n, ast.FunctionDef)]
        made = {call for one in methods if one.name == "__init__" for call in calls(one)}
        found = (
            call.lineno for call in calls(self.own)
            if call not in made and word in ast.unparse(call.func)
        )  # fmt: skip
        return min(found, default=None)

    def handed_on(self, name: str) -> int | None:
        """The line on which a function is handed on to be called elsewhere, as to `partial`."""
        found = (
            call.lineno for call in calls(self.own)
            if any(ast.unparse(one).rpartition(".")[2] == name for one in call.args)
        )  # fmt: skip
        return min(found, default=None)

    def argument(self, name: str) -> int | None:
        """The line on which forward, else the constructor, names an argument."""
        methods = [n for n in ast.walk(self.own) if isinstance(n, ast.FunctionDef)]
        for wanted in ("forward", "__call__", "__init__"):
            for named in (method.args for method in methods if method.name == wanted):
                own = [*named.posonlyargs, *named.args, *named.kwonlyargs]
                found = next((one.lineno for one in own if one.arg == name), None)
                if found is not None:
                    return found
        return None

    def forward(self) -> ast.FunctionDef | None:
        """The method that is called."""
        methods = [n for n in ast.walk(self.own) if isinstance(n, ast.FunctionDef)]
        return next((n for n in methods if n.name in {"forward", "__call__"}), None)

    def last_return(self) -> int | None:
        """The last `return` of the class, or of the nearest one that it is made of."""
        for own in self.source.lineage(getattr(self.own, "name", "")) or [self.own]:
            lines = [n.lineno for n in ast.walk(own) if isinstance(n, ast.Return)]
            if lines:
                return max(lines)
        return None

    def fill_on(self, line: int | None) -> str | None:
        """A finite number on a line that float16 cannot hold, written as a negative fill."""
        for node in ast.walk(self.source.tree):
            if isinstance(node, ast.Constant) and node.lineno == line:
                value = node.value
                if isinstance(value, str):
                    try:
                        value = float(value)
                    except ValueError:
                        continue
                if isinstance(value, (int, float)) and HALF_MAX < abs(value) < math.inf:
                    return f"{-abs(value):g}"
        return None


def assignment(tree: ast.AST | None, attribute: str) -> int | None:
    """The line within a tree on which some object's `attribute` is set."""
    for node in ast.walk(tree) if tree is not None else []:
        if isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            flat = [t for target in targets for t in ast.walk(target)]
            if any(isinstance(t, ast.Attribute) and t.attr == attribute for t in flat):
                return node.lineno
    return None


def _set_in_loop(tree: ast.AST | None, name: str) -> int | None:
    """The line of a loop over names on which a call is told each, to set something under it."""
    for loop in ast.walk(tree) if tree is not None else []:
        if isinstance(loop, ast.For) and name in _texts(loop.iter):
            told = {node.id for node in ast.walk(loop.target) if isinstance(node, ast.Name)}
            for call in (node for row in loop.body for node in calls(row)):
                if told & {getattr(one, "id", "") for one in call.args}:
                    return call.lineno
    return None


def _texts(node: ast.AST) -> set[object]:
    return {one.value for one in ast.walk(node) if isinstance(one, ast.Constant)}


def tested(function: ast.AST | None, name: str) -> int | None:
    """The first line of a function that asks whether an argument is there, else that reads it."""
    nodes = [*ast.walk(function or ast.Pass())]
    tests = [node.test for node in nodes if isinstance(node, (ast.If, ast.IfExp))]
    asking = [test.lineno for test in tests if any(_reads(one, name) for one in ast.walk(test))]
    reading = [node.lineno for node in nodes if isinstance(node, ast.Name) and _reads(node, name)]
    return min(asking or reading, default=None)


def _reads(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)


def in_place(steps: Sequence[Step]) -> Step | None:
    """The first traced step that changes a tensor in place."""
    return next((step for step in steps if writes(step.call)), None)


def overwriting(steps: Sequence[Step], size: int, maker: str) -> Step | None:
    """The step that changes a tensor of some size in place, after the call that made it.

    maker: what made it, as autograd has it.
    """
    same = [step for step in steps if step.shape and math.prod(step.shape) == size]
    made = (n for n, step in enumerate(same, 1) if step.call.strip("_") == maker)
    return in_place(same[next(made, 0) :]) or in_place(same) or in_place(steps)


def writes(call: str) -> bool:
    """Whether a call of this name changes its first argument: `mul_`, `__iand__`, `__setitem__`."""
    return call in _ASSIGNING or (call.endswith("_") and not call.startswith("_"))


def own_imports(source: Source) -> int | None:
    """The line that imports attn_kata, whose answers are not the candidate's."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        else:
            continue
        if any(name.split(".")[0] == "attn_kata" for name in names):
            return node.lineno
    return None


def replaced(function: ast.AST, role: str) -> int | None:
    """Where an argument of some role is given another value, whatever it was handed over with."""
    arguments = {one.arg for one in ast.walk(function) if isinstance(one, ast.arg)}
    named = {one for one in arguments if forward_role(one) == role}
    # What asks whether there is one replaces none.
    asked = {
        id(inner)
        for node in ast.walk(function) if isinstance(node, ast.If) and named & _names(node.test)
        for inner in ast.walk(node)
    }  # fmt: skip
    for node in (one for one in ast.walk(function) if isinstance(one, ast.Assign)):
        if id(node) not in asked and stored(node) & named - _names(node.value):
            return node.lineno
    return None


def _names(node: ast.AST) -> set[str]:
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}


def thrown_away(tree: ast.AST, ran: set[int]) -> int | None:
    """The line that ran and makes a new tensor, filled or lengthened, which nobody keeps."""
    for node in ast.walk(tree):
        call = node.value if isinstance(node, ast.Expr) else None
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
            kept = any(word.arg == "out" for word in call.keywords)
            if (
                call.func.attr in {"masked_fill", "where", "cat", "concat"}
                and not kept
                and call.lineno in ran
            ):
                return call.lineno
    return None
