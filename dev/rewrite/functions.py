"""What is said twice as a function of its own, functions as lambdas, arguments by name alone."""

from __future__ import annotations

import re
from collections import Counter
from random import Random
from typing import Any

import libcst as cst

from .marks import marks
from .tree import Sites, bare, code, each, identifiers

__all__ = ["by_name_alone", "lambdas", "pulled_out"]

_CUTS = {"view", "reshape", "unflatten"}
_TURNS = {"transpose", "permute", "swapaxes"}
_NAMES = ("split_heads", "to_heads", "heads", "shape_heads", "chai_tou")


def pulled_out(module: cst.Module, rng: Random) -> cst.Module:
    """Say once how an axis is split and moved: as a lambda, an inner function or a method."""
    taken = identifiers(module)
    name = next((one for one in rng.sample(_NAMES, len(_NAMES)) if one not in taken), None)
    form = rng.choice(("lambda", "function", "method"))
    given = next((one for one in ("t", "z", "u", "tensor") if one not in taken), None)
    if name is None or given is None:
        return module
    return module.visit(_PullOut(name, given, form))


class _PullOut(cst.CSTTransformer):
    """Pulls the first thing out that a method says twice."""

    def __init__(self, name: str, given: str, form: str) -> None:
        super().__init__()
        self._name = name
        self._given = given
        self._form = form
        self._method: cst.BaseStatement | None = None
        self._done = False

    def leave_FunctionDef(
        self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef
    ) -> Any:
        tail, place = ("", None) if self._done else _twice(updated_node)
        if place is None:
            return updated_node
        self._done = True
        given, name = self._given, self._name
        method = self._form == "method" and "self." in tail
        own = "".join(f", {one}" for one in _locals(updated_node, tail)) if method else ""
        called = f"self._{name}" if method else name
        changed = updated_node.visit(Sites(lambda node: _called(node, tail, called, own)))
        assert isinstance(changed, cst.FunctionDef)
        if method:
            text = f"\ndef _{name}(self, {given}{own}):\n    return {given}{tail}\n"
            self._method = cst.parse_statement(text)
            return changed
        text = f"{name} = lambda {given}: {given}{tail}"
        if self._form == "function":
            text = f"def {name}({given}):\n    return {given}{tail}\n"
        lines = [*changed.body.body]
        lines.insert(place, cst.parse_statement(text))
        return changed.with_changes(body=changed.body.with_changes(body=lines))

    def leave_ClassDef(self, original_node: cst.ClassDef, updated_node: cst.ClassDef) -> Any:
        if self._method is None or not isinstance(updated_node.body, cst.IndentedBlock):
            return updated_node
        block = updated_node.body.with_changes(body=[*updated_node.body.body, self._method])
        self._method = None
        return updated_node.with_changes(body=block)


def _twice(function: cst.FunctionDef) -> tuple[str, int | None]:
    """Return what a function says most often, and the place where a definition would go."""
    found = Counter(tail for one in each(function, cst.Call) if (tail := _tail(one)))
    tail, times = found.most_common(1)[0] if found else ("", 0)
    if times < 2 or not isinstance(function.body, cst.IndentedBlock):
        return "", None
    place = _first(function.body, tail)
    return tail, place if place is not None and _steady(function, tail, place) else None


def _called(node: cst.BaseExpression, tail: str, called: str, extra: str) -> str | None:
    if not isinstance(node, cst.Call) or _tail(node) != tail:
        return None
    return f"{called}({code(node).removesuffix(tail)}{extra})"


def _tail(node: cst.Call) -> str | None:
    """Return `.view(…).transpose(…)`, or None for another call."""
    outer = node.func
    inner = outer.value if isinstance(outer, cst.Attribute) else None
    if not isinstance(outer, cst.Attribute) or not isinstance(inner, cst.Call):
        return None
    cut = inner.func
    if (
        not isinstance(cut, cst.Attribute)
        or cut.attr.value not in _CUTS
        or outer.attr.value not in _TURNS
    ):
        return None
    text = code(node)[len(code(cut.value)) :]
    # What comes before may be the module torch, and what is long is said in several lines.
    return None if "\n" in text or marks(code(node)) else text


def _first(block: cst.IndentedBlock, tail: str) -> int | None:
    """Return the place of the first statement that says it, where all that do are in one block."""
    places = [
        place for place, line in enumerate(block.body)
        if tail and any(_tail(one) == tail for one in each(line, cst.Call))
    ]  # fmt: skip
    return places[0] if places else None


def _locals(function: cst.FunctionDef, tail: str) -> list[str]:
    """Return the names of the function's own in a text, in order."""
    bound = {one.name.value for one in each(function.params, cst.Param)}
    for target in each(function, cst.AssignTarget):
        bound |= {name.value for name in each(target.target, cst.Name)}
    words = re.findall(r"(?<![.\w])[A-Za-z_]\w*", tail)
    return [name for name in dict.fromkeys(words) if name in bound and name != "self"]


def _steady(function: cst.FunctionDef, tail: str, place: int) -> bool:
    """Whether no line that follows binds anew what the text reads; and none of them is followed."""
    assert isinstance(function.body, cst.IndentedBlock)
    later = function.body.body[place:]
    read = set(_locals(function, tail))
    bound = {
        name.value
        for line in later for target in each(line, cst.AssignTarget)
        for name in each(target.target, cst.Name)
    }  # fmt: skip
    lines = [code(line) for line in later if tail in code(line)]
    return not read & bound and not any(marks(line) for line in lines)


def by_name_alone(module: cst.Module, rng: Random) -> cst.Module:
    """Let the settings of a class's constructor be given by name alone."""
    names = {one.name.value for one in each(module, cst.ClassDef)}
    if any(code(call.func) in names for call in each(module, cst.Call)):
        return module
    return module.visit(_ByName())


class _ByName(cst.CSTTransformer):
    def leave_FunctionDef(
        self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef
    ) -> Any:
        params = updated_node.params
        several = len(params.params) > 1 and not params.kwonly_params
        if (
            updated_node.name.value != "__init__"
            or not several
            or params.star_arg != cst.MaybeSentinel.DEFAULT
        ):
            return updated_node
        if params.posonly_params or "super().__init__(" not in code(updated_node):
            return updated_node
        alone = params.with_changes(
            params=params.params[:1], kwonly_params=params.params[1:], star_arg=cst.ParamStar()
        )
        return updated_node.with_changes(params=alone)


def lambdas(module: cst.Module, rng: Random) -> cst.Module:
    """Write functions that only return something as lambdas, methods too."""
    return module.visit(_Lambdas())


class _Lambdas(cst.CSTTransformer):
    def leave_FunctionDef(
        self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef
    ) -> Any:
        params = updated_node.params
        body = updated_node.body.body
        line = body[0] if len(body) == 1 else None
        if updated_node.decorators or updated_node.asynchronous or params.star_kwarg:
            return updated_node
        small = line.body[0] if isinstance(line, cst.SimpleStatementLine) else None
        value = small.value if isinstance(small, cst.Return) else None
        if value is None or "yield" in code(value) or marks(code(updated_node)):
            return updated_node
        kinds = ("params", "kwonly_params", "posonly_params")
        given = params.with_changes(**{
            kind: [one.with_changes(annotation=None) for one in getattr(params, kind)]
            for kind in kinds
        })  # fmt: skip
        said = " ".join(code(given).split()).rstrip(",")
        text = " ".join(code(bare(value)).split())
        made = cst.parse_statement(f"{updated_node.name.value} = lambda {said}: {text}")
        return made.with_changes(leading_lines=updated_node.leading_lines)
