"""In the candidate's process: which tensor of a result is the output, and its gradients."""

from __future__ import annotations

from typing import Any

from torch import Tensor

from .building import Built
from .recorder import ordinary

__all__ = ["describe_result", "gradients", "of_their_own"]

# Bound before any submission runs: what it puts in their place is its own affair.
_copy, _detach = Tensor.clone, Tensor.detach


def describe_result(result: Any, shape: list[int] | None) -> dict[str, Any]:
    """Return the output, what it came in, and its place there where that is not the first.

    shape: the output's, which tells it from weights that are returned as well.
    """
    if isinstance(result, Tensor):
        if not ordinary(result):
            return {"out": None, "container": "nested" if result.is_nested else "sparse"}
        return {"out": result, "container": None}
    items: list[Any] = []
    if isinstance(result, (tuple, list)):
        items = list(result)
    elif isinstance(result, dict):
        items = list(result.values())
    elif result is not None and hasattr(result, "__dict__"):
        items = list(vars(result).values())
    items = [None if isinstance(one, Tensor) and not ordinary(one) else one for one in items]
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


def of_their_own(held: Any) -> Any:
    """Return the same answers, with copies of the tensors in them."""
    if isinstance(held, Tensor):
        return _copy(_detach(held))
    if isinstance(held, dict):
        return {name: of_their_own(one) for name, one in held.items()}
    return [*map(of_their_own, held)] if isinstance(held, list) else held


def gradients(
    built: Built, out: Tensor, upstream: Tensor, given: dict[str, Tensor]
) -> dict[str, Any]:
    """Return the gradients of weights and inputs, the output's being `upstream`."""
    built.survey()
    weights = built.weights
    for weight in weights.values():
        weight.grad = None
    if not out.requires_grad:
        return {"grads": {}, "input_grads": {}, "attached": False}
    (out * upstream.to(out.dtype).to(out.device)).sum().backward()
    return {
        "attached": True,
        "grads": {name: _whole(weight.grad) for name, weight in weights.items()},
        "input_grads": {name: _whole(tensor.grad) for name, tensor in given.items()},
    }


def _whole(grad: Tensor | None) -> Tensor | None:
    """A gradient with all of its zeros: an embedding's may be sparse."""
    return grad if grad is None or ordinary(grad) else grad.to_dense()
