"""What an exception comes of where `self` is missing, or is handed over twice."""

from __future__ import annotations

import ast
import re

from ..judge.source import Source
from ..judge.written import Function
from ..process.answers import Raised
from ..report.message import Message, say
from .names import attributes, method_class
from .signatures import constructor_of

__all__ = ["about_self", "taken_for_input"]

_COUNT = re.compile(
    r"(\w+)\(\) (?:takes \d+ positional arguments? but \d+ (?:was|were) given"
    r"|takes from \d+ to \d+ positional arguments but \d+ were given"
    r"|got multiple values for argument)"
)
_LOST = re.compile(r"'(\w+)' object has no attribute '(\w+)'")


def about_self(fault: Raised, source: Source) -> Message | None:
    """Say what is missing of `self`, where that is what an exception comes of."""
    reason, line = fault.message, fault.line
    method = _method_at(source, line)
    if method is not None and _forgets_self(method):
        return say("self-def", name=method.name, line=method.lineno)
    own = method_class(source, line)
    if own is not None and re.search(rf"\b{own.name}\b", reason):
        node = taken_for_input(own)
        if node is not None and node is method:
            return say("self-def", name=node.name, line=node.lineno)
    if "name 'self' is not defined" in reason:
        return say("self-outside")
    if _super_at(source, line):
        return say("self-super")
    counted = _COUNT.search(reason)
    if counted is not None:
        node = _selfless(source, counted[1], line)
        if node is not None:
            return say("self-def", name=node.name, line=node.lineno)
        return say("self-given") if _gives_self(source, line) else None
    if " required positional argument" in reason:
        return _unbound(source, reason)
    if "before Module.__init__() call" in reason:
        own = method_class(source, line)
        odd = own is not None and any(_odd_super(node) for node in ast.walk(own))
        return say("self-super") if odd else None
    lost = _LOST.search(reason)
    return _lost(source, lost[1], lost[2]) if lost is not None else None


def taken_for_input(own: ast.ClassDef) -> Function | None:
    """A class's forward that takes the object for its input, as `def forward(x)` does."""
    for node in own.body:
        if isinstance(node, Function) and node.name == "forward" and not node.decorator_list:
            first = next(iter([*node.args.posonlyargs, *node.args.args]), None)
            if first is None or _stands_for_self(first.arg, node):
                return None
            used = {
                one.attr
                for one in ast.walk(node)
                if isinstance(one, ast.Attribute)
                and isinstance(one.value, ast.Name)
                and one.value.id == first.arg
            }
            return None if used & set(attributes(own)) else node
    return None


def _method_at(source: Source, line: int | None) -> Function | None:
    """The method that a line stands in."""
    own, place = method_class(source, line), line or 0
    methods = [node for node in own.body if isinstance(node, Function)] if own is not None else []
    return next((m for m in methods if m.lineno <= place <= (m.end_lineno or place)), None)


def _forgets_self(method: Function) -> bool:
    """Whether a method speaks of `self` and does not take it."""
    names = [node for node in ast.walk(method) if isinstance(node, ast.Name) and node.id == "self"]
    taken = [node.arg for node in ast.walk(method) if isinstance(node, ast.arg)]
    given = any(isinstance(node.ctx, ast.Store) for node in names)
    return bool(names) and not given and "self" not in taken


def _unbound(source: Source, reason: str) -> Message | None:
    """A method that gets no object: it is a static one with `self`, or is called on the class."""
    called = (node for node in ast.walk(source.tree)
              if isinstance(node, Function) and f"{node.name}()" in reason)  # fmt: skip
    for node in called:
        first = [one.arg for one in (*node.args.posonlyargs, *node.args.args)][:1]
        if first == ["self"]:
            if any("staticmethod" in ast.unparse(one) for one in node.decorator_list):
                return say("self-static", name=node.name, line=node.lineno)
            return say("self-class", name=node.name) if "'self'" in reason else None
    return None


def _selfless(source: Source, name: str, line: int | None) -> Function | None:
    """The method of this name that does not take `self`. line: where it was called, if known."""
    own = method_class(source, line)
    for tree in [own] if own is not None else source.classes.values():
        for node in tree.body:
            if isinstance(node, Function) and node.name == name and not node.decorator_list:
                first = [*node.args.posonlyargs, *node.args.args][:1]
                if not first or not _stands_for_self(first[0].arg, node):
                    return None if node.args.vararg and not first else node
    return None


def _stands_for_self(name: str, node: Function) -> bool:
    """Whether a method's first argument is the object, whatever it is called."""
    if name in {"self", "cls", "_", "this", "module"}:
        return True
    uses = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
    stored = (
        one.value
        for one in ast.walk(node)
        if isinstance(one, ast.Attribute) and isinstance(one.ctx, ast.Store)
    )
    kept = any(isinstance(one, ast.Name) and one.id == name for one in stored)
    return kept and "self" not in uses


def _calls_on(source: Source, line: int | None) -> list[ast.Call]:
    return [
        node
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Call)
        and line is not None
        and node.lineno <= line <= (node.end_lineno or line)
    ]


def _gives_self(source: Source, line: int | None) -> bool:
    """Whether a line calls a method on an object and hands over `self` as well."""
    return any(
        isinstance(call.func, ast.Attribute)
        and _starts_at_self(call.func.value)
        and any(isinstance(one, ast.Name) and one.id == "self" for one in call.args[:1])
        for call in _calls_on(source, line)
    )


def _starts_at_self(node: ast.expr) -> bool:
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name) and node.id == "self"


def _super_at(source: Source, line: int | None) -> bool:
    """Whether a line is meant for nn.Module's constructor, and is no plain call of it."""
    own = method_class(source, line)
    bases = [ast.unparse(base) for base in own.bases] if own is not None else []
    if not any(base.rpartition(".")[2] == "Module" for base in bases):
        return False
    nodes = [node for node in ast.walk(own or ast.Pass()) if getattr(node, "lineno", None) == line]
    return any(map(_odd_super, nodes))


def _odd_super(node: ast.AST) -> bool:
    """Whether a statement is about the base's constructor and is not a plain call of it."""
    if not isinstance(node, ast.Expr):
        return False
    text = ast.unparse(node.value)
    about = re.match(r"super\b|(nn\.|torch\.nn\.)?Module\b", text) and "init" in text
    plain = re.fullmatch(
        r"super\((\w+, self)?\)\.__init__\(\)|(torch\.)?(nn\.)?Module\.__init__\(self\)", text
    )
    return bool(about) and not plain


def _lost(source: Source, owner: str, name: str) -> Message | None:
    """An attribute that the constructor has as a local name alone."""
    own = source.classes.get(owner)
    init = constructor_of(own) if own is not None else None
    if own is None or init is None or any(
        isinstance(node, ast.Attribute) and node.attr == name and isinstance(node.ctx, ast.Store)
        for node in ast.walk(own)
    ):  # fmt: skip
        return None
    for node in ast.walk(init):
        if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store):
            return say("self-kept", line=node.lineno, name=name)
    given = {one.arg for one in (*init.args.posonlyargs, *init.args.args, *init.args.kwonlyargs)}
    return say("self-argument", name=name) if name in given else None
