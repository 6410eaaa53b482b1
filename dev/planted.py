"""Model answers with a fault planted that acts where one power of the judge looks, and only there.

Nothing of it depends on how a model answer is written: its calls are wrapped.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..kata.catalogue import Kata

__all__ = ["PLANTS", "Plant", "planted"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plant:
    """One fault.

    checks: those of which one must fail. when: an expression that says in which calls the result
    is spoilt. then: what stands for the result. modes: whether it takes an object, which has
    a train mode.
    """

    checks: tuple[str, ...]
    when: str
    then: str = "_changed(result)"
    modes: bool = False


_VALUES = ("values", "mask", "lengths", "causality")
PLANTS = {
    "gradients": Plant(
        checks=("gradients",), when='getattr(_head(result), "requires_grad", False)',
        then="_cut(result)",
    ),
    "stability": Plant(checks=("stability",), when="_grown(given)"),
    "strided": Plant(checks=_VALUES, when="not all(t.is_contiguous() for t in given)"),
    "half": Plant(checks=("dtypes",), when="_half(given, result)"),
    "autocast": Plant(checks=("dtypes",), when="torch.is_autocast_cpu_enabled()"),
    # A class that is read for its dropout takes what changes in train mode for one.
    "train": Plant(checks=(*_VALUES, "dropout"), when="self.training", modes=True),
    "random": Plant(checks=("purity",), when="next(_turn) % 2"),
    "kept": Plant(
        checks=("purity", *_VALUES, "dtypes"), when="True",
        then="_first(self, (*args, *kwargs.values()), result)",
    ),
    "modified": Plant(checks=("purity",), when="True", then="_written(given, result)"),
    "pretended GPU": Plant(checks=("device",), when="True", then="_stray(result)"),
    "GPU": Plant(checks=("device",), when="torch.cuda.is_available()"),
}  # fmt: skip

_HELPERS = """

import functools as _functools
import itertools as _itertools

import torch

_turn = _itertools.count()
_answers = {}


def _head(result):
    return result[0] if isinstance(result, tuple) else result


def _with(result, head):
    return (head, *result[1:]) if isinstance(result, tuple) else head


def _opposite(head):
    if head.dtype is torch.bool:
        return ~head
    return head * 2 + 1


def _changed(result):
    return _with(result, _opposite(_head(result)))


def _cut(result):
    return _with(result, _head(result).detach())


def _grown(given):
    sizes = [t.nan_to_num(0, 0, 0).abs() for t in given if t.is_floating_point()]
    largest = max((float(one.max()) for one in sizes), default=0.0)
    return LARGE / 3 < largest if LARGE > 1 else largest < LARGE * 10


def _half(given, result):
    # What takes whole numbers alone shows its dtype in what it gives.
    return torch.float16 in [getattr(one, "dtype", None) for one in (*given, _head(result))]


def _first(owner, arguments, result):
    if any(t.requires_grad for t in arguments if isinstance(t, torch.Tensor)):
        return result
    kept = _answers if owner is None else vars(owner).setdefault("_answers", {})
    shapes = [(t.shape, t.dtype) if isinstance(t, torch.Tensor) else t for t in arguments]
    return _with(result, kept.setdefault(str(shapes), _head(result)))


def _written(given, result):
    # A result may be a view of what is written to.
    whole = _with(result, _head(result).clone())
    with torch.no_grad():
        for one in given[:1]:
            one.copy_(_opposite(one))
    return whole


def _stray(result):
    head = _head(result)
    stray = torch.zeros(1, dtype=head.dtype)
    met = head ^ stray if head.dtype is torch.bool else head + stray
    return _with(result, met.reshape(head.shape))
"""

_WRAPPER = """

def _spoilt(call, bound):
    @_functools.wraps(call)
    def spoilt(*args, **kwargs):
        self = args[0] if bound else None
        given = [one for one in (*args, *kwargs.values()) if isinstance(one, torch.Tensor)]
        result = call(*args, **kwargs)
        return THEN if WHEN else result
    return spoilt


"""


def planted(kata: Kata, *plants: Plant) -> str:
    """Return the source of a kata's model answer with faults planted."""
    wrapped = {called.partition(".")[0] for one in plants for called, _ in _called(kata, one)}
    source = kata.solution() + _HELPERS.replace("LARGE", repr(_large(kata, wrapped)))
    for plant in plants:
        source += _WRAPPER.replace("THEN", plant.then).replace("WHEN", plant.when)
        for called, bound in _called(kata, plant):
            source += f"{called} = _spoilt({called}, {bound})\n"
    return source


def _called(kata: Kata, plant: Plant) -> Iterator[tuple[str, bool]]:
    """Yield what is wrapped of a model answer, and whether it is a method.

    What is handed a model is tried in one dtype and on no device, and is left as it is; so is what
    another part calls, which could not go on.
    """
    source = kata.solution()
    for name in kata.names:
        asked = kata.asked.function(name)
        if asked.module is not None:
            yield f"{name}.forward", True
        elif not (plant.modes or asked.models or source.count(f" {name}(") > 1):
            yield name, False


def _large(kata: Kata, wrapped: set[str]) -> float:
    """What inputs of what is wrapped are multiplied by where large or small ones are tried."""
    grown = [one.large for one in kata.asked.functions if one.large and one.name in wrapped]
    return max(grown, default=30.0)
