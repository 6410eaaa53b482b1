"""Where a class has its settings from: one configuration, and properties in place of attributes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

import libcst as cst

from .families import SETTINGS, meaning
from .marks import marks
from .tree import Imports, code, each, identifiers, imported

__all__ = ["configured", "properties"]

_KINDS = ("Config", "Settings", "AttentionConfig", "ModelArgs")
_CALLED = ("config", "cfg", "args")
_ATTRIBUTES = ("{called}.{name}", "{called}.{name}")
# Of an object of no kind: a dictionary, or what only has the attributes.
_ANY = (
    ('{called}["{name}"]', '{called}.get("{name}", {default})'),
    ("{called}.{name}", 'getattr({called}, "{name}", {default})'),
)
# What a property may ask for besides what the object keeps.
_PLAIN = {"self", "math", "sqrt", "int", "float", "min", "max", "len"}

# A name that no dot stands before.
_WORD = re.compile(r"(?<![.\w])[A-Za-z_]\w*")
_BEGINS = "super().__init__("
_APART = [cst.EmptyLine(indent=False)] * 2

Statement = cst.BaseStatement
Class = Callable[[cst.ClassDef], list[Statement] | None]


class _Classes(cst.CSTTransformer):
    """Writes the classes of a module otherwise: `change` gives what stands for one, or None."""

    def __init__(self, change: Class) -> None:
        super().__init__()
        self._change = change

    def leave_ClassDef(self, original_node: cst.ClassDef, updated_node: cst.ClassDef) -> Any:
        made = self._change(updated_node)
        return updated_node if made is None else cst.FlattenSentinel(made)


def configured(module: cst.Module, rng: Random) -> cst.Module:
    """Hand a constructor its settings in one object: of a dataclass, or of whatever has them."""
    taken = identifiers(module)
    kinds = [one for one in rng.sample(_KINDS, len(_KINDS)) if one not in taken]
    given = [one for one in rng.sample(_CALLED, len(_CALLED)) if one not in taken]
    said = Counter(one.value for one in each(module, cst.Name))
    frozen = rng.choice(("@dataclass", "@dataclass(frozen=True)"))
    # How a setting is read, and how one that need not be there is.
    plain = rng.choice((None, None, *_ANY))

    def change(node: cst.ClassDef) -> list[Statement] | None:
        made = _constructor(node)
        settings = _settings(made) if made is not None else None
        # Whoever else speaks of a class may make one.
        alone = said[node.name.value] == 1
        if made is None or settings is None or not (alone and kinds and given):
            return None
        if plain is not None:
            return [node.deep_replace(made, _reading(made, given[0], "", settings, plain))]
        kind = kinds.pop()
        fields = "".join(f"    {one}\n" for one in settings.values())
        config = cst.parse_statement(f"{frozen}\nclass {kind}:\n{fields}")
        new = _reading(made, given[0], kind, settings, _ATTRIBUTES)
        return [
            config.with_changes(leading_lines=_APART),
            node.deep_replace(made, new).with_changes(leading_lines=_APART),
        ]

    changed = module.visit(_Classes(change))
    with_config = plain is None and changed.code != module.code
    return imported(changed, "from dataclasses import dataclass") if with_config else changed


def _reading(
    made: Any, called: str, kind: str, settings: Mapping[str, str], read: tuple[str, str]
) -> cst.FunctionDef:
    """Return a constructor that is given an object and reads its settings from it.

    kind: the object's, "" where it is not said. read: how, without a default and with one.
    """
    hint = cst.Annotation(annotation=cst.Name(kind)) if kind else None
    params = cst.Parameters(
        params=[made.params.params[0], cst.Param(name=cst.Name(called), annotation=hint)]
    )
    body = [*made.body.body]
    first = int(made.get_docstring() is not None)
    for name, field in settings.items():
        _, _, default = field.partition(" = ")
        text = read[bool(default)].format(called=called, name=name, default=default)
        body.insert(first, cst.parse_statement(f"{name} = {text}"))
        first += 1
    return made.with_changes(params=params, body=made.body.with_changes(body=body))


def _constructor(node: cst.ClassDef) -> Any:
    """Return a class's own `__init__` in lines of its own, or None."""
    return next(
        (
            one for one in node.body.body
            if isinstance(one, cst.FunctionDef) and one.name.value == "__init__"
            and isinstance(one.body, cst.IndentedBlock)
        ),
        None,
    )  # fmt: skip


def _settings(made: cst.FunctionDef) -> dict[str, str] | None:
    """Return a constructor's settings as fields, by name; None where it takes others or one."""
    params = made.params
    if _BEGINS not in code(made):
        return None
    some: Sequence[cst.Param] = [*params.params[1:], *params.kwonly_params]
    if isinstance(params.star_arg, cst.Param) or params.star_kwarg or params.posonly_params:
        return None
    if len(some) < 2 or marks(code(params)):
        return None
    plain = [one for one in some if one.default is None]
    return {one.name.value: _field(one) for one in [*plain, *(one for one in some if one.default)]}


def _field(param: cst.Param) -> str:
    """Return a parameter as a dataclass's field."""
    default = code(param.default) if param.default is not None else ""
    kind = code(param.annotation.annotation) if param.annotation else ""
    if not kind:
        rate = meaning(param.name.value, SETTINGS) == "rate" or re.fullmatch(r"\d*\.\d*", default)
        kind = "bool" if default in {"True", "False"} else "float" if rate else "int"
    return f"{param.name.value}: {kind}" + (f" = {default}" if default else "")


def properties(module: cst.Module, rng: Random) -> cst.Module:
    """Work out anew, wherever it is asked for, what a constructor keeps of its settings."""
    imports = Imports(module)
    root = imports.called("math.sqrt") or "math.sqrt"

    def change(node: cst.ClassDef) -> list[Statement] | None:
        made = _constructor(node)
        if made is None:
            return None
        found = [one for one in _derived(node, made, root) if rng.random() < 0.7]
        if not found:
            return None
        gone = {id(line) for line, _, _ in found}
        left = [line for line in made.body.body if id(line) not in gone]
        kept = made.with_changes(body=made.body.with_changes(body=left))
        body: list[Any] = [kept if one is made else one for one in node.body.body]
        for _, name, value in found:
            text = f"@property\ndef {name}(self):\n    return {value}\n"
            body.append(cst.parse_statement(text).with_changes(leading_lines=_APART[:1]))
        return [node.with_changes(body=node.body.with_changes(body=body))]

    return module.visit(_Classes(change))


def _derived(node: cst.ClassDef, made: Any, root: str) -> list[tuple[Statement, str, str]]:
    """Return what is kept of other things that are kept: lines, names and what they are worth."""
    written = Counter(
        code(target.target) for one in each(node, cst.Assign) for target in one.targets
    )
    written.update(code(one.target) for one in each(node, cst.AugAssign))
    methods = {one.name.value for one in each(node, cst.FunctionDef)}
    kept: dict[str, str] = {}
    found: list[tuple[Statement, str, str]] = []
    for line in made.body.body:
        said = code(line.with_changes(leading_lines=[])) if _is_plain(line) else ""
        row = re.fullmatch(r"self\.(\w+) = ([^#\n]+)", said)
        if row is None or written[f"self.{row[1]}"] != 1 or row[1] in methods:
            continue
        name, value = row[1], row[2].strip()
        words = set(_WORD.findall(value))
        if words == {value}:
            kept.setdefault(value, name)
        elif words & kept.keys() and words <= {*kept, *_PLAIN, *root.split(".")}:
            ways = {one: f"self.{attribute}" for one, attribute in kept.items()}
            value = _WORD.sub(lambda word, ways=ways: ways.get(word[0], word[0]), value)
            found.append((line, name, value))
    return found


def _is_plain(line: Any) -> bool:
    """Whether a statement is one assignment that is not followed."""
    return (
        isinstance(line, cst.SimpleStatementLine) and len(line.body) == 1
        and isinstance(line.body[0], cst.Assign) and not marks(code(line))
    )  # fmt: skip
