"""What a configuration holds: what the constructor reads from it, and ways to fill it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from ..diagnose.signatures import constructor_of, parameters
from ..process.answers import Entry, Field, Parameter
from ..vocabulary import constructor_role
from .source import Source

__all__ = ["Filling", "fillings", "settings_of", "with_settings"]

# Arguments or fields, each with what it gets.
Filling = tuple[tuple[str, str, str], ...]


def with_settings(classes: list[Entry], source: Source) -> list[Entry]:
    """Say of each constructor's argument what is read from it, where no kind is said to hold it.

    Only of what is a configuration by its name, is asked for items by name, or stands alone and is
    asked for attributes.
    """
    kinds = {one.name for one in classes if not one.module and one.name in source.classes}
    known = {name: _has(source.classes[name]) for name in kinds}
    return [
        replace(
            one,
            constructor=[
                _filled(parameter, source.classes[one.name], source.tree, known)
                for parameter in one.constructor
            ],
        )
        if one.constructor and one.name in source.classes else one
        for one in classes
    ]  # fmt: skip


def _filled(
    parameter: Parameter, own: ast.ClassDef, tree: ast.Module, kinds: Mapping[str, set[str]]
) -> Parameter:
    """Say what an argument holds. kinds: what the file's classes that are no modules have."""
    said = _is_annotated(parameter.name, own)
    if parameter.has_default or parameter.kind.startswith("VAR_") or (said and parameter.fields):
        return parameter
    fields = settings_of(parameter.name, own, tree)
    shared = {one.name for one in fields} & {one.name for one in parameter.fields}
    # A kind that the class makes for itself is not what it is handed.
    handed = {name: has for name, has in kinds.items() if name not in _called(own)}
    other = bool(kinds and not handed) or bool(parameter.fields and not shared)
    if not fields or (parameter.fields and not other):
        return parameter
    whole = _whole(parameter.name, own, handed) if not (said or other) else ""
    annotation = "dict" if other and not said else whole or parameter.annotation
    return replace(parameter, fields=fields, read=True, annotation=annotation)


def _has(kind: ast.ClassDef) -> set[str]:
    """The names that a class declares."""
    rows = (one.target for one in kind.body if isinstance(one, ast.AnnAssign))
    methods = (one.name for one in kind.body if isinstance(one, ast.FunctionDef))
    return {*methods, *(one.id for one in rows if isinstance(one, ast.Name))}


def _whole(argument: str, own: ast.ClassDef, kinds: Mapping[str, set[str]]) -> str:
    """The one kind that declares all that is read from an argument itself, "" for none."""
    called = _also_called(argument, own)
    read = {
        one.attr for one in ast.walk(own)
        if isinstance(one, ast.Attribute) and _last(one.value) in called
    }  # fmt: skip
    fitting = [name for name, has in kinds.items() if read and read <= has]
    return fitting[0] if len(fitting) == 1 else ""


def _is_annotated(name: str, own: ast.ClassDef) -> bool:
    made = constructor_of(own)
    every = (one for one in ast.walk(made.args) if isinstance(one, ast.arg)) if made else ()
    return any(one.arg == name and one.annotation is not None for one in every)


def _called(own: ast.ClassDef) -> set[str]:
    """The names in what a class calls: `Config` of `Config.small()`."""
    calls = (one.func for one in ast.walk(own) if isinstance(one, ast.Call))
    return {one.id for called in calls for one in ast.walk(called) if isinstance(one, ast.Name)}


def settings_of(argument: str, own: ast.ClassDef, tree: ast.Module) -> list[Field]:
    """Return what is read from an argument of a constructor, as far as that is a configuration.

    In the order in which the class reads it, then the rest of the file from what has its name.
    """
    called = _also_called(argument, own)
    read = [*_in_order(own, called), *_in_order(tree, called)]
    items = any(item for _, item in read)
    if constructor_role(argument) != "config" and not (items or _alone(argument, own)):
        return []
    first: dict[str, Field] = {}
    for one, _ in read:
        first.setdefault(one.name, one)
    return [*first.values()]


def _alone(argument: str, own: ast.ClassDef) -> bool:
    """Whether a constructor takes one argument, and never as a number: its attributes are read."""
    made = constructor_of(own)
    if made is None or parameters(made) != [argument]:
        return False
    names = [one for one in ast.walk(made) if isinstance(one, ast.Name) and one.id == argument]
    read = (one.value for one in ast.walk(made) if isinstance(one, ast.Attribute))
    kept = (one.value for one in ast.walk(made) if isinstance(one, ast.Assign))
    return bool(names) and {*map(id, names)} <= {*map(id, read), *map(id, kept)}


def _also_called(name: str, own: ast.ClassDef) -> set[str]:
    """What an argument is called: its name, and each that it is handed to as it is."""
    names = {name}
    for node in ast.walk(own):
        if isinstance(node, ast.Assign) and _last(node.value) in names:
            names |= {last for target in node.targets if (last := _last(target))}
    return names


def _last(node: ast.expr) -> str | None:
    """The last word of a name: `config` of `self.config`."""
    if isinstance(node, ast.Attribute):
        return node.attr if isinstance(node.value, ast.Name) else None
    return node.id if isinstance(node, ast.Name) else None


def _in_order(tree: ast.AST, names: set[str]) -> list[tuple[Field, bool]]:
    """What is read from what has one of these names, as it is written, and whether as an item."""
    return [found for _, found in sorted(_read(tree, names), key=lambda one: one[0])]


def _read(tree: ast.AST, names: set[str]) -> Iterator[tuple[tuple[int, int], tuple[Field, bool]]]:
    """What is read, with where it ends. Of a setting with settings of its own these alone."""
    parts = set[int]()
    # What is walked first stands outermost.
    for node in ast.walk(tree):
        if id(node) in parts or not isinstance(node, (ast.Subscript, ast.Attribute, ast.Call)):
            continue
        if isinstance(node, ast.Call):
            # What is called is no setting.
            parts.add(id(node.func))
        found = _asked(node)
        if found is None:
            continue
        holder, field, item = found
        while (inner := _asked(holder)) is not None and _last(holder) not in names:
            parts.add(id(holder))
            holder = inner[0]
        if _last(holder) in names:
            yield (node.end_lineno or 0, node.end_col_offset or 0), (field, item)


def _asked(node: ast.expr) -> tuple[ast.expr, Field, bool] | None:
    """What is asked, for which setting, and whether as an item."""
    match node:
        case ast.Subscript(value=holder, slice=ast.Constant(value=str(name)), ctx=ast.Load()):
            return holder, _field(name), True
        case ast.Call(
            func=ast.Attribute(value=holder, attr="get" | "pop"),
            args=[ast.Constant(value=str(name)), *rest],
        ):
            return holder, _field(name, rest), True
        case ast.Call(
            func=ast.Name(id="getattr"), args=[holder, ast.Constant(value=str(name)), *rest]
        ):
            return holder, _field(name, rest), False
        case ast.Attribute(value=holder, attr=name, ctx=ast.Load()):
            return holder, _field(name), False
        case _:
            return None


def _field(name: str, rest: list[ast.expr] | None = None) -> Field:
    """A setting, and what it is where the configuration has none."""
    usual = rest[0].value if rest and isinstance(rest[0], ast.Constant) else None
    default = usual if isinstance(usual, (int, float, bool, str)) else None
    return Field(name=name, kind="KEYWORD_ONLY", has_default=bool(rest), default=default)


def fillings(
    entry: Entry, config: str, taking: Callable[[Sequence[Field]], list[Filling]]
) -> list[Filling]:
    """Return ways to fill a configuration, the likeliest first; () is by what names mean.

    taking: how arguments of such names would be taken.
    """
    held = next(one for one in entry.constructor or () if one.name == config)
    # A configuration within it has settings of its own.
    fields = [one for one in held.fields if constructor_role(one.name) != "config"]
    said = [constructor_role(one.name, config=True) for one in fields]
    # `p` is a rate by its name, and beside another one a width.
    twice = any(said.count(role) > 1 for role in ("width", "dropout"))
    if not held.read:
        # Two fields of one meaning would both be worth the same by their names.
        unclear = twice or not {None, "inner"}.isdisjoint(said)
        return [*dict.fromkeys(taking(fields)), ()] if unclear else [()]
    # What need not be there is often something else, and two names may mean one thing.
    asked = (not one.has_default or isinstance(one.default, float) for one in fields)
    if any(role is None and must for role, must in zip(said, asked, strict=True)):
        rows = enumerate(zip(fields, said, strict=True))
        first = [one for n, (one, role) in rows if role is None or role not in said[:n]]
        return [*dict.fromkeys(taking(first)), ()]
    return [(), *dict.fromkeys(taking(fields))] if twice else [()]
