"""Other names: of locals, of attributes and layers, of helpers and arguments."""

from __future__ import annotations

import builtins
from collections.abc import Iterable
from random import Random
from typing import Any

import libcst as cst

from .families import ARGUMENTS, LAYERS, LOCALS, SETTINGS, STYLES, Family, meaning
from .tree import code, each, identifiers

__all__ = ["arguments", "attributes", "helpers", "locals_"]

# What looks at names while it runs; nothing is renamed beside it.
_LOOKS = {"locals", "globals", "vars", "eval", "exec", "getattr", "setattr", "hasattr", "delattr"}
# What nn.Module has: an attribute of this name would stand in its way.
_MODULES_OWN = {
    "T_destination", "add_module", "apply", "bfloat16", "buffers", "call_super_init", "children",
    "compile", "cpu", "cuda", "double", "dump_patches", "eval", "extra_repr", "float", "forward",
    "get_buffer", "get_parameter", "get_submodule", "half", "load_state_dict", "modules",
    "named_buffers", "named_children", "named_modules", "named_parameters", "parameters",
    "register_buffer", "register_module", "register_parameter", "requires_grad_", "share_memory",
    "state_dict", "to", "to_empty", "train", "training", "type", "xpu", "zero_grad",
}  # fmt: skip
_PROJECTIONS = {"query", "key", "value"}
_BINDS = (
    cst.AssignTarget, cst.AnnAssign, cst.AugAssign, cst.NamedExpr, cst.For, cst.CompFor,
)  # fmt: skip


def locals_(module: cst.Module, rng: Random) -> cst.Module:
    """Rename what functions bind for themselves, arguments apart, in one style."""
    if _is_looked_at(module):
        return module
    bound, arguments = _bound_in_functions(module)
    free = bound - arguments - _bound_outside(module) - _not_mine(module)
    return _renamed(module, rng, sorted(free), [LOCALS], share=0.85)


def arguments(module: cst.Module, rng: Random) -> cst.Module:
    """Rename arguments of functions, where nobody gives them by name."""
    if _is_looked_at(module):
        return module
    _, named = _bound_in_functions(module)
    by_name = {found.keyword.value for found in each(module, cst.Arg) if found.keyword}
    free = named - by_name - _bound_outside(module) - _not_mine(module) - {"self", "cls"}
    # A `p` that no constructor takes is a share of something else.
    makes = any(one.name.value == "__init__" for one in each(module, cst.FunctionDef))
    settings = {key: words for key, words in SETTINGS.items() if makes or key != "rate"}
    return _renamed(module, rng, sorted(free), [ARGUMENTS, settings], share=0.7)


def _renamed(
    module: cst.Module,
    rng: Random,
    names: list[str],
    families: list[dict[str, Family]],
    share: float,
) -> cst.Module:
    chosen = [name for name in names if rng.random() < share]
    new = _new_names(chosen, families, rng, identifiers(module))
    return module.visit(_Names(new)) if new else module


def _new_names(
    names: Iterable[str], families: list[dict[str, Family]], rng: Random, taken: set[str]
) -> dict[str, str]:
    """Give names of the same meaning in one style, none of which is taken or given twice."""
    style = rng.choice(STYLES)
    new: dict[str, str] = {}
    for name in names:
        family = next((f[key] for f in families if (key := meaning(name, f))), None)
        free = [
            word
            for one in (style, *STYLES)
            for word in (family or {}).get(one, ())
            if word not in taken and (one != "pinyin" or style == "pinyin")
        ]
        if free:
            new[name] = rng.choice(free[:2])
            taken.add(new[name])
    return new


class _Names(cst.CSTTransformer):
    """Renames variables: no attributes, and no keywords of calls."""

    def __init__(self, new: dict[str, str]) -> None:
        super().__init__()
        self._new = new

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.Name:
        return updated_node.with_changes(
            value=self._new.get(updated_node.value, updated_node.value)
        )

    def leave_Attribute(self, original_node: cst.Attribute, updated_node: cst.Attribute) -> Any:
        return updated_node.with_changes(attr=original_node.attr)

    def leave_Arg(self, original_node: cst.Arg, updated_node: cst.Arg) -> cst.Arg:
        return updated_node.with_changes(keyword=original_node.keyword)


def _is_looked_at(module: cst.Module) -> bool:
    return any(name.value in _LOOKS for name in each(module, cst.Name))


def _bound_in_functions(module: cst.Module) -> tuple[set[str], set[str]]:
    """Return what functions bind, and which of it are arguments."""
    bound: set[str] = set()
    named: set[str] = set()
    for function in each(module, cst.FunctionDef):
        named |= {one.name.value for one in each(function.params, cst.Param)}
        bound |= _targets(function.body)
    for function in each(module, cst.Lambda):
        named |= {one.name.value for one in each(function.params, cst.Param)}
    return bound | named, named


def _targets(node: cst.CSTNode) -> set[str]:
    """Return the names that are assigned to anywhere in a piece of code."""
    found: set[str] = set()
    for one in each(node, cst.CSTNode):
        if isinstance(one, _BINDS):
            found |= _plain_names(one.target)
        elif isinstance(one, cst.AsName):
            found |= _plain_names(one.name)
    return found


def _plain_names(target: cst.CSTNode) -> set[str]:
    if isinstance(target, cst.Name):
        return {target.value}
    if isinstance(target, (cst.Tuple, cst.List)):
        return {name for part in target.elements for name in _plain_names(part.value)}
    return set()


def _bound_outside(module: cst.Module) -> set[str]:
    """Return the names of what is not in a function: imports, globals, classes and their bodies."""
    names: set[str] = set()
    bodies: list[cst.CSTNode] = [*module.body]
    while bodies:
        node = bodies.pop()
        if isinstance(node, cst.FunctionDef):
            names.add(node.name.value)
        elif isinstance(node, cst.ClassDef):
            names.add(node.name.value)
            bodies += node.body.body
        elif isinstance(node, cst.SimpleStatementLine):
            names |= {name.value for name in each(node, cst.Name)}
        else:
            names |= _targets(node) if isinstance(node, cst.BaseCompoundStatement) else set()
    # A function within a function, and what it imports.
    names |= {one.name.value for one in each(module, cst.FunctionDef)}
    for one in each(module, cst.ImportAlias):
        names |= set((one.evaluated_alias or one.evaluated_name).split("."))
    return names


def _not_mine(module: cst.Module) -> set[str]:
    """Return names that mean something elsewhere: Python's own, defaults and annotations."""
    names = set(dir(builtins))
    names |= {name.value for one in each(module, cst.Annotation) for name in each(one, cst.Name)}
    for one in each(module, cst.Param):
        names |= {name.value for name in each(one.default, cst.Name)} if one.default else set()
    return names


def attributes(module: cst.Module, rng: Random) -> cst.Module:
    """Rename what a class keeps by `self`: its sizes, its layers, its buffers."""
    if _is_looked_at(module):
        return module
    kept = {
        one.attr.value
        for target in each(module, cst.AssignTarget)
        for one in each(target, cst.Attribute)
        if code(one.value) == "self"
    }
    meant = {name: meaning(name, LAYERS) for name in kept}
    if not _PROJECTIONS.issubset(meant.values()):
        # Of `v` beside others nobody knows that it makes the values.
        kept = {name for name in kept if meant[name] not in _PROJECTIONS}
    return _with_attributes(module, rng, kept, [LAYERS, SETTINGS])


def helpers(module: cst.Module, rng: Random) -> cst.Module:
    """Rename a class's private helpers."""
    if _is_looked_at(module):
        return module
    methods = {
        one.name.value
        for body in each(module, cst.ClassDef)
        for one in body.body.body
        if isinstance(one, cst.FunctionDef) and not one.decorators
    }
    private = {name for name in methods if not name.startswith("__")} - _MODULES_OWN
    if not private or any(name in _strings(module) for name in private):
        return module
    called = {one.attr.value for one in each(module, cst.Attribute) if code(one.value) == "self"}
    taken = identifiers(module) | _MODULES_OWN
    new: dict[str, str] = {}
    for name in sorted(private & called):
        stem = name.strip("_")
        free = [
            word for word in (f"_{stem}", stem, f"{stem}_fn", f"do_{stem}") if word not in taken
        ]
        if free:
            new[name] = rng.choice(free)
    return module.visit(_Attributes(new)) if new else module


def _strings(module: cst.Module) -> set[str]:
    return {str(one.evaluated_value) for one in each(module, cst.SimpleString)}


def _with_attributes(
    module: cst.Module, rng: Random, kept: set[str], families: list[dict[str, Family]]
) -> cst.Module:
    others = {one.attr.value for one in each(module, cst.Attribute) if code(one.value) != "self"}
    defined = {one.name.value for one in each(module, cst.FunctionDef)}
    inside = {
        name for body in each(module, cst.ClassDef) for name in _targets(body) if name in kept
    }
    free = kept - others - defined - _MODULES_OWN - inside - _strings(module)
    taken = identifiers(module) | _MODULES_OWN
    new = _new_names([n for n in sorted(free) if rng.random() < 0.85], families, rng, taken)
    return module.visit(_Attributes(new)) if new else module


class _Attributes(cst.CSTTransformer):
    """Renames what stands behind `self.`, and the methods of that name."""

    def __init__(self, new: dict[str, str]) -> None:
        super().__init__()
        self._new = new

    def leave_Attribute(self, original_node: cst.Attribute, updated_node: cst.Attribute) -> Any:
        name = self._new.get(updated_node.attr.value)
        if name is None or code(updated_node.value) != "self":
            return updated_node
        return updated_node.with_changes(attr=cst.Name(name))

    def leave_FunctionDef(
        self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef
    ) -> Any:
        name = self._new.get(updated_node.name.value)
        return updated_node.with_changes(name=cst.Name(name)) if name else updated_node
