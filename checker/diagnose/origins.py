"""Where a line's numbers, layers and names come from, read in the submission's source.

A trace says on which line a tensor goes wrong. What is at fault may stand elsewhere: the
scale that the line divides by was worked out in the constructor, the softmax that it
calls was given its axis there, a name stands for the input itself.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..judge.source import Source
from ..process.answers import Step
from ..vocabulary import forward_role, layer_role
from .asked import answered
from .expressions import (
    assigned,
    at_once,
    called,
    calls,
    computes,
    passed_on,
    says_scale,
    scales,
    scaling,
)
from .signatures import AnyFunction, default_of, given_to, parameters

__all__ = ["Definition", "Origins"]

_FILLING_CALLS = {"masked_fill", "masked_fill_", "where", "full", "full_like"}
# What is made so is a mask, and no number to fill with: `torch.eq(mask, 0)`.
_MASK_MADE = re.compile(r"arange|\b(ones|ones_like|eq|ne|lt|le|gt|ge)\(")
# How a number is written that is filled with: by digits, as infinite, or as next to 0.
_NUMBERS = (ast.Attribute, ast.Call, ast.Constant, ast.UnaryOp)
_WRITTEN = re.compile(r"\d|\binf(inity)?\b|\.(tiny|eps|smallest_normal|resolution)$")
_DEPTH = 4


class Definition(NamedTuple):
    """What a name is made, and on which line."""

    line: int
    value: ast.expr


class Origins:
    """Follows names to what defines them. Lines count from 1; None: the line itself is at fault."""

    def __init__(self, source: Source, class_name: str) -> None:
        self.tree = source.tree
        self.numbers = source.numbers
        self.own: ast.AST = source.classes.get(class_name, source.tree)
        self.functions = [
            node
            for node in ast.walk(self.tree)
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
        ]

    # -- questions -----------------------------------------------------------------------

    def scale(self, lines: list[int]) -> int | None:
        """Where the number that scales on a line was worked out.

        lines: the line and those that called it, as a traced step has them.
        """
        statement = self._statement(lines[0])
        operands = [*scaling(statement)]
        # Where one of two roots is taken on the line itself, the other one is as it was made.
        roots = [one for each in operands for one in calls(each) if called(one) == "sqrt"]
        for operand in operands if len(operands) == 1 or not roots else ():
            if isinstance(operand, (ast.Name, ast.Attribute)):
                found = self._worked_out(operand, lines, _DEPTH)
                if found is not None:
                    return found
        # A plain product may be of what was scaled before.
        return None if operands else self._scaled_before(statement, lines, _DEPTH)

    def _scaled_before(self, node: ast.AST | None, lines: list[int], depth: int) -> int | None:
        """Where what a line uses was scaled, on its way there."""
        names = ast.walk(node) if node is not None and depth else ()
        for name in (one for one in names if isinstance(one, ast.Name)):
            made = self._defined(name, lines)
            given = made is not None and made.line in lines[1:]
            if made is None or (made.line >= lines[0] and not given):
                continue
            # What a function is given was made where it is called.
            before = lines[lines.index(made.line) :] if given else [made.line, *lines[1:]]
            if scales(made.value):
                return self.scale(before) or made.line
            found = self._scaled_before(made.value, before, depth - 1)
            if found is not None:
                return found
        return None

    def softmax(self, lines: list[int]) -> int | None:
        """Where the softmax that a line calls was made, or its axis set."""
        for call in calls(self._statement(lines[0])):
            made = self._defined(call.func, lines)
            if made is not None and "softmax" in ast.dump(made.value).lower():
                return made.line
            named = [word.value for word in call.keywords if word.arg == "dim"]
            for axis in (*named, *call.args[1:]):
                made = self._defined(axis, lines)
                if made is not None and "softmax" in ast.dump(call.func).lower():
                    return made.line
        return None

    def fill(self, lines: list[int]) -> int | None:
        """Where the number that a line fills with, or multiplies a mask by, is written."""
        statement = self._statement(lines[0])
        filled = (a for c in calls(statement) if called(c) in _FILLING_CALLS for a in c.args)
        for operand in (*filled, *scaling(statement)):
            made = self._defined(operand, lines) or self._declared(operand)
            if made is not None and isinstance(made.value, _NUMBERS):
                number = ast.unparse(made.value)
                if _WRITTEN.search(number) and not _MASK_MADE.search(number):
                    return made.line
        # Of a mask that is added the number stands within a log.
        names = (n for n in ast.walk(statement or ast.Pass()) if isinstance(n, ast.Name))
        for made in filter(None, (self._local(name.id, lines[0]) for name in names)):
            if any(called(call) == "log" for call in calls(made.value)):
                return made.line
        return None

    def alias(self, lines: list[int], role: str) -> int | None:
        """Where a name that a line uses was made to stand for an input as it comes."""
        found = []
        for node in ast.walk(self._statement(lines[0]) or ast.Pass()):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                made = self._local(node.id, lines[0])
                if made is not None and isinstance(made.value, ast.Name):
                    found.append((forward_role(node.id) != role, made.line))
        return min(found)[1] if found else None

    def size(self, lines: list[int]) -> int | None:
        """Where a length that a reshape asks for was taken from something but the input."""
        for call in calls(self._statement(lines[0])):
            for arg in call.args:
                made = self._local(arg.id, lines[0]) if isinstance(arg, ast.Name) else None
                if made is not None and isinstance(made.value, (ast.Attribute, ast.Constant)):
                    return made.line
        return None

    def layer(self, lines: list[int], word: str) -> int | None:
        """Where the layer that a line calls was made, if what made it has a word in its name."""
        for call in calls(self._statement(lines[0])):
            made = self._defined(call.func, lines)
            if made is not None and word in ast.dump(made.value).lower():
                return made.line
        return None

    def unmasked_branch(self, ran: set[int]) -> int | None:
        """A condition on the mask that kept the lines which use it from running."""
        for node in self.skipped(ran, _FILLING_CALLS):
            names = [n.id for n in ast.walk(node.test) if isinstance(n, ast.Name)]
            if {"mask", "padding"} & {*map(forward_role, names)}:
                given = self._none_given(node.lineno, names, ran)
                return given or self._left_unset(node, names, ran) or answered(self.tree, node)
        return None

    def _left_unset(self, branch: ast.If, names: list[str], ran: set[int]) -> int | None:
        """The condition under which alone the names that a branch asks for are set, before it."""
        for node in ast.walk(self._function(branch.lineno) or ast.Pass()):
            if isinstance(node, ast.If) and node is not branch and node.lineno < branch.lineno:
                parts = [one for row in node.body for one in ast.walk(row)]
                names_in = (one for one in parts if isinstance(one, ast.Name))
                stored = {one.id for one in names_in if isinstance(one.ctx, ast.Store)}
                if stored & {*names} and not {row.lineno for row in node.body} & ran:
                    return node.lineno
        return None

    def _none_given(self, line: int, names: list[str], ran: set[int]) -> int | None:
        """The call that ran and gives None to the function on a line for one of some names."""
        function = self._function(line)
        if function is None:
            return None
        for call in calls(self.own):
            if call.lineno not in ran or called(call) != getattr(function, "name", ""):
                continue
            for name in {*names} & {*parameters(function)}:
                given = given_to(call, function, name)
                if isinstance(given, ast.Constant) and given.value is None:
                    return call.lineno
        return None

    def skipped(self, ran: set[int], calls: set[str]) -> Iterator[ast.If]:
        """Conditions that kept lines with one of some calls from running."""
        for node in ast.walk(self.own):
            if isinstance(node, ast.If):
                parts = [n for part in node.body for n in ast.walk(part)]
                body = {n.lineno for n in parts if isinstance(n, (ast.stmt, ast.expr))}
                if not body & ran and calls & {called(n) for n in parts if isinstance(n, ast.Call)}:
                    yield node

    def unmasked_call(self) -> int | None:
        """A call of the file's own attention function that leaves out its mask."""
        takers = {
            node.name: place
            for node in self.functions
            if isinstance(node, ast.FunctionDef)
            for place, arg in enumerate(parameters(node))
            if forward_role(arg) in {"mask", "padding"}
        }
        takers = self._modules_that_mask() | takers
        for call in calls(self.own):
            name = called(call)
            owner = self._class_of(call.func)
            place = takers.get(owner or "", takers.get(name))
            if place is None or name == "forward" or isinstance(call.func, ast.Call):
                continue
            given = len(call.args) > place or any(isinstance(a, ast.Starred) for a in call.args)
            named = any(
                k.arg is None or forward_role(k.arg) in {"mask", "padding"} for k in call.keywords
            )
            if not given and not named and not _makes(call, owner):
                return call.lineno
        return None

    def misnamed(self, steps: list[Step], weight: str) -> Step | None:
        """Of the steps that use one layer, the one whose result has another role's name."""
        said, leaf = layer_role(weight), weight.split(".")[-2:][0]
        for step in steps:
            said_by = None if step.line is None else self._statement(step.line)
            for target, value in assigned(said_by or ast.Pass()):
                named = layer_role(target.id) if isinstance(target, ast.Name) else None
                given = [a for c in calls(value) if called(c) == leaf for a in c.args[:1]]
                # What the layer is given tells as much, where its input has a role's name.
                taken = [layer_role(a.id) for a in given if isinstance(a, ast.Name)]
                if given and said and any(r and r != said for r in (named, *taken)):
                    return step
        return None

    def renamed(self, said: str, other: str) -> int | None:
        """Where a name of one role was made to stand for a name of another."""
        for node in ast.walk(self.own):
            for target, value in (*assigned(node), *at_once(node)):
                taken = [value.body, value.orelse] if isinstance(value, ast.IfExp) else [value]
                named = [[target, passed_on(one)] for one in taken]
                for pair in ([n.id for n in two if isinstance(n, ast.Name)] for two in named):
                    if [layer_role(name) for name in pair] == [said, other]:
                        return getattr(node, "lineno", None)
        return None

    def functions_of(self, lines: set[int]) -> set[int]:
        """The functions that lines stand in, by their first lines."""
        return {f.lineno for f in map(self._function, lines) if f is not None}

    # -- definitions ---------------------------------------------------------------------

    def _worked_out(self, operand: ast.expr, lines: list[int], depth: int) -> int | None:
        made = self._defined(operand, lines)
        if made is None or depth == 0:
            return None
        if computes(made.value, named=says_scale(operand)):
            return made.line
        if isinstance(made.value, (ast.Name, ast.Attribute)):
            return self._worked_out(made.value, [made.line], depth - 1)
        return None

    def _defined(self, node: ast.expr, lines: list[int]) -> Definition | None:
        if isinstance(node, ast.Attribute):
            own = isinstance(node.value, ast.Name) and node.value.id in {"self", "cls"}
            held = self._attribute(node.attr) if own else None
            return held or self._field(node.attr, self._classes())
        if not isinstance(node, ast.Name):
            return None
        made = self._local(node.id, lines[0]) or self._given(node.id, lines)
        return made or self._global(node.id)

    def _attribute(self, name: str) -> Definition | None:
        for tree in (self.own, self.tree):
            for node in ast.walk(tree):
                for target, value in assigned(node):
                    if isinstance(target, ast.Attribute) and target.attr == name:
                        return Definition(node.lineno, value)  # type: ignore[attr-defined]
                if isinstance(node, ast.Call) and called(node) == "register_buffer":
                    first = node.args[0] if node.args else None
                    if isinstance(first, ast.Constant) and first.value == name and node.args[1:]:
                        return Definition(node.lineno, node.args[1])
        return None

    def _classes(self) -> list[ast.ClassDef]:
        return [one for one in ast.walk(self.tree) if isinstance(one, ast.ClassDef)]

    def _field(self, name: str, owners: Sequence[ast.ClassDef]) -> Definition | None:
        """What a record's field, declared in one of some classes, is first made with."""
        for owner in owners:
            declared = [n.target for n in owner.body if isinstance(n, ast.AnnAssign)]
            fields = [field.id for field in declared if isinstance(field, ast.Name)]
            for call in calls(self.tree) if name in fields else ():
                if called(call) in {owner.name, "cls"}:
                    by_name = (k.value for k in call.keywords if k.arg == name)
                    behind = call.args[fields.index(name) :]
                    given = next(by_name, None) or next(iter(behind), None)
                    if given is not None:
                        return Definition(given.lineno, given)
        return None

    def _declared(self, node: ast.expr) -> Definition | None:
        """What an attribute is where a class says it for all its objects."""
        for one in (part for owner in self._classes() for part in owner.body):
            for target, value in assigned(one):
                if getattr(target, "id", "") == getattr(node, "attr", None):
                    return Definition(one.lineno, value)
        return None

    def _local(self, name: str, line: int) -> Definition | None:
        return next(iter(reversed(self._locals(name, line))), None)

    def _locals(self, name: str, line: int) -> list[Definition]:
        """What a name was made before a line of its function."""
        function = self._function(line)
        return [
            Definition(node.lineno, value)  # type: ignore[attr-defined]
            for node in (ast.walk(function) if function is not None else ())
            for target, value in assigned(node)
            if getattr(node, "lineno", line) < line
            and isinstance(target, ast.Name) and target.id == name
        ]  # fmt: skip

    def _global(self, name: str) -> Definition | None:
        for node in getattr(self.tree, "body", []):
            for target, value in assigned(node):
                if isinstance(target, ast.Name) and target.id == name:
                    return Definition(node.lineno, value)
        return None

    def _given(self, name: str, lines: list[int]) -> Definition | None:
        """What the caller gave for a function's argument, or its default."""
        function = self._function(lines[0])
        if function is None or name not in parameters(function):
            return None
        own = getattr(function, "name", "")
        if own == "__init__":
            return self._made_with(function, name)
        for call in calls(self._statement(lines[1])) if len(lines) > 1 else []:
            if called(call) == own or own in {"forward", "__call__"}:
                given = given_to(call, function, name)
                if given is not None:
                    return Definition(lines[1], given)
        default = default_of(function, name)
        return None if default is None else Definition(default.lineno, default)

    def _made_with(self, constructor: AnyFunction, name: str) -> Definition | None:
        """What a module's constructor was given where the file makes one."""
        owners = [n for n in ast.walk(self.tree) if isinstance(n, ast.ClassDef)]
        owner = next((c.name for c in owners if constructor in c.body), None)
        for call in calls(self.tree):
            if owner is not None and called(call) == owner:
                given = given_to(call, constructor, name)
                if given is not None:
                    return Definition(call.lineno, given)
        return None

    # -- places --------------------------------------------------------------------------

    def _function(self, line: int) -> ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | None:
        around = [f for f in self.functions if f.lineno <= line <= (f.end_lineno or f.lineno)]
        return max(around, key=lambda f: f.lineno, default=None)

    def _statement(self, line: int) -> ast.stmt | None:
        """The innermost statement on a line; of one that holds others, its head alone."""
        found = None
        for node in ast.walk(self.tree):
            if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or 0):
                if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef)):
                    continue
                if found is None or node.lineno >= found.lineno:
                    found = node
        return found

    def _modules_that_mask(self) -> dict[str, int]:
        """Classes of the file whose forward takes a mask, with its place."""
        found = {}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.ClassDef) and node is not self.own:
                for function in node.body:
                    if isinstance(function, ast.FunctionDef) and function.name == "forward":
                        for place, arg in enumerate(parameters(function)):
                            if forward_role(arg) in {"mask", "padding"}:
                                found[node.name] = place
        return found

    def _class_of(self, func: ast.expr) -> str | None:
        """The class of an attribute that is called, where the constructor makes it."""
        if isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name):
            made = self._attribute(func.attr)
            if made is not None and isinstance(made.value, ast.Call):
                return called(made.value)
        return None


def _makes(call: ast.Call, owner: str | None) -> bool:
    """Whether a call makes a module, and does not run one."""
    return owner is None and isinstance(call.func, ast.Name) and call.func.id[:1].isupper()
