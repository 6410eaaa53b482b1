"""A class that takes a configuration, made of settings: for the proof, which has these."""

from __future__ import annotations

import ast
from collections.abc import Container, Mapping, Sequence

from ...checker.judge.configured import settings_of

__all__ = ["unconfigured"]

# An object that has items as well as attributes.
_HELD = "type('_Held', (dict,), {'__getattr__': dict.__getitem__})"


def unconfigured(source: str, but: Container[str] = ()) -> str:
    """Let a class that takes a configuration take what that is made of, as it did before.

    but: the names of classes that took one before.
    """
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return source
    classes = [one for one in tree.body if isinstance(one, ast.ClassDef)]
    added: list[str] = []
    for node in classes:
        made = next((one for one in node.body if getattr(one, "name", "") == "__init__"), None)
        own = made.args if isinstance(made, ast.FunctionDef) else None
        given = [*own.args[1:], *own.kwonlyargs] if own is not None else []
        if own is None or len(given) != 1 or node.name in but:
            continue
        called = given[0].arg
        config = _record(made, called, classes) if made is not None else None
        if config is not None:
            rows = [one for one in config.body if isinstance(one, ast.AnnAssign)]
            fields = {ast.unparse(one.target): one.value for one in rows}
        else:
            read = settings_of(called, node, tree)
            fields = {one.name: ast.Constant(one.default) if one.has_default else None
                      for one in read}  # fmt: skip
        if fields:
            added.append(_apart(node.name, called, config.name if config else _HELD, fields))
    return "\n".join([source, *added])


def _apart(kind: str, called: str, config: str, fields: Mapping[str, ast.expr | None]) -> str:
    """Return a class that takes each setting and hands on a configuration of them."""
    taken = ", ".join(
        f"{name}={ast.unparse(value)}" if value is not None else name
        for name, value in fields.items()
    )
    passed = ", ".join(f"{name}={name}" for name in fields)
    return (
        f"class {kind}({kind}):\n    def __init__(self, {taken}):\n"
        f"        super().__init__({called}={config}({passed}))\n"
    )


def _record(made: ast.stmt, given: str, classes: Sequence[ast.ClassDef]) -> ast.ClassDef | None:
    """Return the dataclass of which a constructor reads every field from its one argument."""
    read = {
        one.attr for one in ast.walk(made)
        if isinstance(one, ast.Attribute) and ast.unparse(one.value) == given
    }  # fmt: skip
    return next(
        (
            one for one in classes
            if any("dataclass" in ast.unparse(each) for each in one.decorator_list)
            and read == {ast.unparse(f.target) for f in one.body if isinstance(f, ast.AnnAssign)}
        ),
        None,
    )  # fmt: skip
