"""In the candidate's process: which tensor of what a call returned is its output."""

from __future__ import annotations

from typing import Any

from torch import Tensor

__all__ = ["describe_result"]


def describe_result(result: Any, shape: list[int] | None) -> dict[str, Any]:
    """Return the output, what it came in, and its place there where that is not the first.

    shape: the output's, which tells it from weights that are returned as well.
    """
    if isinstance(result, Tensor):
        return {"out": result, "container": None}
    items: list[Any] = []
    if isinstance(result, (tuple, list)):
        items = list(result)
    elif isinstance(result, dict):
        items = list(result.values())
    elif result is not None and hasattr(result, "__dict__"):
        items = list(vars(result).values())
    tensors = [item for item in items if isinstance(item, Tensor)]
    if not tensors:
        return {"out": None, "container": type(result).__name__}
    answer: dict[str, Any] = {
        "out": items[0] if isinstance(items[0], Tensor) else tensors[0],
        "container": type(result).__name__,
    }
    fits = [
        i for i, item in enumerate(items) if isinstance(item, Tensor) and list(item.shape) == shape
    ]
    if list(answer["out"].shape) != shape and fits:
        # Some return the weights first; the shape tells which element is the output.
        answer["out"], answer["place"] = items[fits[0]], fits[0]
    return answer
