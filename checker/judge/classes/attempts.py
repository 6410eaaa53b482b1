"""Ways to make and call a class, tried until one gives an output of the right shape."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import torch
from torch import Tensor

from ....kata.catalogue import Kata
from ...process.handle import Candidate
from .bind import bindings
from .cases import Case, draw_inputs
from .plan import Binding, ForwardPlan, Size

__all__ = ["Bound", "Unbound", "attempt", "bind", "nothing_hidden", "plain_call", "plain_inputs"]

_TRIES = 64
_FITS = 5


class Unbound(Exception):
    """No way to make and call the class was found. best: how far the best try came."""

    def __init__(self, best: dict[str, Any], binding: Binding, size: Size) -> None:
        super().__init__(best.get("phase", ""))
        self.best = best
        self.binding = binding
        self.size = size


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """A binding that runs, the size it was tried at, and what it showed.

    without: where a mask stands in for none, what was shown when there was none.
    """

    binding: Binding
    size: Size
    shown: dict[str, Any]
    without: dict[str, Any] | None = None


def bind(
    kata: Kata,
    candidate: Candidate,
    entry: dict[str, Any],
    sizes: list[dict[str, Any]],
    convention: str,
) -> Iterator[Bound]:
    """Yield ways to make and call a class that give an output of the right shape.

    The first is the likeliest; the others serve where its weights make no attention.
    convention: what a mask means. Raises Unbound with the try that came furthest where
    there is none.
    """
    tries = [
        (binding, size)
        for binding in islice(bindings(entry, sizes, kata.contract, convention), _TRIES)
        for size in _describing_sizes(kata, binding)
    ]
    best: tuple[int, dict[str, Any], Binding, Size] | None = None
    fitting = 0
    without: dict[Any, dict[str, Any]] = {}
    stood: set[Any] = set()
    while tries:
        attempts = [attempt(kata, binding, size) for binding, size in tries]
        request = {"do": "describe", "first_good": True, "tries": attempts}
        answers = candidate.ask(request)["answers"]
        for (binding, size), answer in zip(tries, answers, strict=False):
            maskless = replace(binding.forward, stand_in=None)
            way = (binding.constructor, maskless, size)
            if maskless == binding.forward:
                without[way] = answer
            elif way[:2] in stood:
                # One mask that stands in for none tells as much as another.
                continue
            if _rank(answer) == _FITS:
                fitting += 1
                if maskless != binding.forward:
                    stood.add(way[:2])
                yield Bound(
                    binding=binding, size=size, shown=answer,
                    without=None if maskless == binding.forward else without.get(way),
                )  # fmt: skip
            elif best is None or _rank(answer) > best[0]:
                best = (_rank(answer), answer, binding, size)
        tries = tries[len(answers) :]
    if not fitting and best is not None:
        _, answer, binding, size = best
        raise Unbound(answer, binding, size)


def _describing_sizes(kata: Kata, binding: Binding) -> list[Size]:
    if kata.contract.heads == "one":
        return [Size(hidden=6, heads=1)]
    if binding.takes("heads") or binding.takes("head_dim"):
        return [Size(hidden=12, heads=3), Size(hidden=16, heads=2)]
    # The number of heads is written into the class: try widths that common numbers divide.
    return [Size(hidden=width, heads=1) for width in (16, 24, 32, 64)]


def _rank(answer: dict[str, Any]) -> int:
    if answer["phase"] == "construct":
        return 0
    if answer["phase"] == "forward":
        return 1
    if answer["fits"]:
        return _FITS
    return 3 if isinstance(answer["answer"]["out"], Tensor) else 2


def plain_inputs(
    kata: Kata, binding: Binding, size: Size
) -> tuple[Case, dict[str, Tensor]]:  # fmt: skip
    """What the first plain call is made with, by input: small, and no mask."""
    cross = kata.contract.source == "cross"
    case = Case(check="shape", batch=2, queries=5, keys=7 if cross else 5)
    draw = torch.Generator().manual_seed(1)
    return case, draw_inputs(case, binding, size.hidden, draw, cross=cross)


def plain_call(kata: Kata, binding: Binding, size: Size) -> dict[str, Any]:
    """The first plain call, in float32."""
    case, inputs = plain_inputs(kata, binding, size)
    mask = nothing_hidden(binding.forward, case, torch.float32)
    return binding.forward.call(inputs, mask, shape=[2, 5, size.hidden])


def nothing_hidden(plan: ForwardPlan, case: Case, work: torch.dtype) -> Tensor | None:
    """What stands for no mask in a call. work: the dtype of the inputs."""
    stand_in = plan.stand_in
    if stand_in is None:
        return None
    wide = {"B": case.batch, "H": 1, "Q": case.queries, "K": case.keys, "1": 1}
    dtype = work if stand_in.dtype == "float" else getattr(torch, stand_in.dtype)
    return torch.full([wide[axis] for axis in stand_in.form], stand_in.worth, dtype=dtype)


def attempt(kata: Kata, binding: Binding, size: Size) -> dict[str, Any]:
    """One entry of a describe request."""
    call = plain_call(kata, binding, size)
    return {"recipe": binding.recipe(size), "call": call, "dtype": "float32"}
