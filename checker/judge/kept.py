"""What the model answer gave to a question before: between two saves the code changes, not that.

A question is known by its content, so that nothing but the very same arguments, weights, earlier
calls and draw finds an answer, and only that of the model answer that it was put to.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import blake2b

import torch
from torch import Tensor

from ...kata.catalogue import Kata
from ...kata.functions import Function
from ..process.wire import take_apart
from .given import Given
from .truth import Answer, made

__all__ = ["Answered", "right_answer", "worked_out"]

_MOST, _WEIGHTS = 4096, 256


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """The right results, the rows of them that count, and gradients where they were taken.

    grads: by argument. weights: by the model answer's names. upstream: the shape of what they
    were taken against, None where they were not.
    """

    results: tuple[Tensor, ...]
    keep: Tensor | None
    upstream: torch.Size | None = None
    grads: dict[str, Tensor] = field(default_factory=dict)
    weights: dict[str, Tensor] = field(default_factory=dict)


# By the question and the id of the model answer that it was put to, which may be an edited one;
# with that answer, so that nothing else has its id.
_ANSWERS: OrderedDict[tuple[bytes, int], tuple[Answer, Answered]] = OrderedDict()
# By id, with what has that id, so that nothing else has it.
_CONTENTS: OrderedDict[int, tuple[Mapping[str, Tensor], bytes]] = OrderedDict()


def right_answer(
    kata: Kata, function: Function, answer: Answer, given: Given, generator: torch.Generator, *,
    grad: bool,
) -> tuple[Answered, Tensor | None]:  # fmt: skip
    """Return what the model answer gives, as it was worked out before or as it is now.

    Where gradients are asked for, also what they were taken against, drawn from the generator.
    """
    state = generator.get_state() if grad else None
    asked = _question(f"{kata.id} {function.name} {grad}", given, state), id(answer)
    if asked not in _ANSWERS:
        against = partial(_upstream, generator) if grad else None
        _ANSWERS[asked] = answer, worked_out(function, answer, given, against)
        if len(_ANSWERS) > _MOST:
            _ANSWERS.popitem(last=False)
    _ANSWERS.move_to_end(asked)
    found = _ANSWERS[asked][1]
    if found.upstream is None or state is None:
        return found, None
    generator.set_state(state)
    return found, _upstream(generator, found.upstream)


def worked_out(
    function: Function, answer: Answer, given: Given,
    against: Callable[[torch.Size], Tensor] | None,
) -> Answered:  # fmt: skip
    """Return what the model answer gives, and its gradients where they are asked for.

    against: what an output of that shape is summed with, to take them.
    """
    leaves = {one.name for one in function.arguments if one.gradient and one.floats}
    if against is not None:
        tensors = {
            name: t.clone().requires_grad_(True) if name in leaves else t
            for name, t in given.tensors.items()
        }
        weights = {n: w.clone().requires_grad_(True) for n, w in given.weights.items()}
        given = replace(given, tensors=tensors, weights=weights)
    with torch.set_grad_enabled(against is not None):
        done = made(answer, given, named=bool(function.left_out))
    # Of their own, whatever becomes of the arguments that they may be views of.
    results = tuple(one.detach().clone() for one in done.results)
    keep = done.counted(function.left_out)
    if against is None or keep is not None:
        # Where a row has no agreed answer, neither have the gradients that it leads to.
        return Answered(results=results, keep=keep)
    out = done.results[0]
    (out * against(out.shape)).sum().backward()
    grads = {name: given.tensors[name].grad for name in leaves if name in given.tensors}
    return Answered(
        results=results,
        keep=keep,
        upstream=out.shape,
        grads={
            name: torch.zeros_like(given.tensors[name]) if one is None else one
            for name, one in grads.items()
        },
        weights={n: w.grad for n, w in given.weights.items() if w.grad is not None},
    )


def _upstream(generator: torch.Generator, shape: torch.Size) -> Tensor:
    return torch.randn(shape, generator=generator, dtype=torch.float64)


def _question(label: str, given: Given, state: Tensor | None) -> bytes:
    """Say by content what is asked. state: the generator's, if it draws."""
    hashed = blake2b(f"{label} {sorted(given.settings.items())}".encode(), digest_size=16)
    if id(given.weights) not in _CONTENTS:
        _CONTENTS[id(given.weights)] = (given.weights, _content(given.weights))
        if len(_CONTENTS) > _WEIGHTS:
            _CONTENTS.popitem(last=False)
    hashed.update(_CONTENTS[id(given.weights)][1])
    for call in (*given.before, given):
        told = (sorted(call.plain.items()), call.left, call.carried, call.kept)
        hashed.update(repr(told).encode())
        hashed.update(_content(call.tensors))
    if state is not None:
        hashed.update(take_apart(state)[2])
    return hashed.digest()


def _content(tensors: Mapping[str, Tensor]) -> bytes:
    hashed = blake2b(digest_size=16)
    for name, tensor in tensors.items():
        dtype, shape, held = take_apart(tensor)
        hashed.update(f"{name} {dtype} {shape}".encode())
        hashed.update(held)
    return hashed.digest()
