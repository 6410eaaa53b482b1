"""Take plain values as they are: typer asks pydantic, which takes longer to load than typer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from typing import Any

__all__ = ["lightly"]


def lightly(params: Sequence[Any]) -> list[Any]:
    """Have parameters take texts and defaults themselves, and leave the rest to typer."""
    for param in params:
        kind = getattr(getattr(param, "type_descriptor", None), "annotation", None)
        # A typer that knows no descriptors has no pydantic either.
        if kind is not None and "process_value" not in vars(param):
            param.process_value = _lighter(param, kind, param.process_value)
    return list(params)


def _lighter(param: Any, kind: Any, heavy: Callable[..., Any]) -> Callable[..., Any]:
    def process(ctx: Any, value: Any) -> Any:
        plain, taken = _taken(param, kind, value)
        if not plain:
            return heavy(ctx, value)
        return taken if param.callback is None else param.callback(ctx, param, taken)

    return process


def _taken(param: Any, kind: Any, value: Any) -> tuple[bool, Any]:
    """Whether a value needs no converting, and what it is then."""
    if value is None and not param.required:
        return True, () if param.multiple or param.nargs == -1 else None
    if (kind is str and isinstance(value, str)) or (value is param.default is not None):
        return True, value
    if kind == list[str] and value:
        return True, list(value)
    choices = list(kind) if isinstance(kind, type) and issubclass(kind, Enum) else []
    chosen = [one for one in choices if one.value == value]
    return bool(chosen), next(iter(chosen), None)
