"""Whether a file that was written otherwise computes the same: values and gradients, in float64.

The calls are those that the judge makes of the file as it was; they are made again of the other
one, and every result is held against the first. What the judge thinks of either plays no part.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import tempfile
from collections import defaultdict
from collections.abc import Generator, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar, cast

import torch
from torch import Tensor

from ...checker.candidate.guard import Guard
from ...checker.candidate.worker import _Worker  # pyright: ignore[reportPrivateUsage]
from ...checker.judge.main import _Sitting  # pyright: ignore[reportPrivateUsage]
from ...checker.process import claims, wire
from ...checker.process.answers import Entry, Outcome, Ran, Run
from ...checker.process.forms import decode
from ...checker.process.jobs import Job, Options
from ...checker.process.requests import (
    Call,
    ListFunctions,
    Load,
    MakeCalls,
    ObjectRecipe,
    Recipe,
    Request,
    Series,
    request_of,
)
from .families import LAYERS, meaning
from .unconfigured import unconfigured

__all__ = ["Recording", "Unproved"]

_Answer = TypeVar("_Answer")
_Value = TypeVar("_Value")

_SECONDS = 60
# What is given in float64 may come back in another dtype.
_CLOSE = {torch.float64: 1e-8, torch.float32: 1e-5, torch.bfloat16: 1e-2, torch.float16: 1e-3}
_THREE = ("query", "key", "value")
# A weight of the file as it was: its name, and which third of it, None for the whole.
Piece = tuple[str, "int | None"]
Weights = dict[str, list[Piece]]


class Unproved(Exception):
    """Two files are not known to compute the same. The message says where they part."""


class _Unguarded:
    """Stands where the guard stands, and guards nothing: what runs here is our own."""

    path = ""

    def arm(self) -> None:
        """Leave torch's attention where it is."""


class _Recorder:
    """A candidate in this process that notes what is asked of it, and what it answers."""

    def __init__(self) -> None:
        self.path = ""
        self.worker = _Worker(cast("Guard", _Unguarded()))
        self.asked: list[tuple[MakeCalls, Ran]] = []
        self.loading: Load | None = None

    def serve(self, path: str) -> None:
        """Be for this file."""
        self.path = path

    def ask(self, request: Request[_Answer]) -> _Answer:
        """Answer at once, and note both."""
        answer = _asked(self.worker, request)
        if isinstance(request, Load):
            self.loading = request
        elif isinstance(request, MakeCalls):
            self.asked.append((_received(request), cast("Ran", answer)))
        return answer

    def ask_each(self, requests: Iterable[Request[_Answer]]) -> Iterator[_Answer]:
        """Answer each as it comes."""
        return map(self.ask, requests)

    def close(self) -> str:
        """End nothing; nothing was captured."""
        return ""


def _copied(message: Any) -> Any:
    """Return a message as it comes over a line: nobody can write to what another holds."""
    return wire.unpack(*wire.pack(message))


def _received(request: Any) -> Any:
    return request_of(_copied(request))


def _asked(worker: Any, request: Request[_Answer]) -> _Answer:
    """Ask a worker as a judge asks it."""
    answer = worker.answer(_received(request))
    return claims.understood(request, _copied(answer))


class Recording:
    """What a file answers when it is judged.

    verdict: the judge's. calls: how many results in float64 there are to hold others against.
    """

    def __init__(self, kata: str, source: str, seed: int) -> None:
        recorder = _Recorder()
        with _quiet(), tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "mine.py"
            path.write_text(source, "utf-8")
            options = Options(seed=seed, timeout=60.0, device="cpu", diagnose=False)
            job = Job(kata=kata, file=str(path), options=options)
            self.verdict = _Sitting(job, cast("Any", recorder)).report().verdict
        self._loading = recorder.loading
        self._asked = recorder.asked
        self._parameters = _parameters(recorder.worker)

    def hold(self, source: str) -> int:
        """Make the same calls of another source; return how many results agree. Raise Unproved."""
        if self._loading is None:
            raise Unproved("the judge did not come to load what it is held against")
        with _quiet():
            worker = _Worker(cast("Guard", _Unguarded()))
            before = {name.partition(" made")[0] for name, given in self._parameters.items()
                      if name.endswith(" made") and len(given) == 1}  # fmt: skip
            whole = unconfigured(source, before)
            loaded = _asked(worker, replace(self._loading, source=whole))
            if loaded.fault is not None:
                raise Unproved(f"it does not load: {loaded.fault}")
            renamed = _renamed(self._parameters, _parameters(worker))
            agreed = 0
            for request, answer in self._asked:
                for series, result in zip(request.series, answer.results, strict=True):
                    if series.dtype == "float64":
                        agreed += _held(worker, series, result, renamed)
        if not agreed:
            raise Unproved("there is no result in float64 to hold it against")
        return agreed


@contextlib.contextmanager
def _quiet() -> Generator[None]:
    """Keep what a file prints and where it looks for others to itself; stop one that hangs."""

    def stop(*_: object) -> None:
        raise TimeoutError

    held = sys.path[:], sys.argv[:]
    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(_SECONDS)
    try:
        with _silent():
            yield
    except TimeoutError:
        raise Unproved(f"it takes more than {_SECONDS} seconds") from None
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
        sys.path[:], sys.argv[:] = held


@contextlib.contextmanager
def _silent() -> Generator[None]:
    """Send what is printed nowhere, also by what has kept its own hold of the output."""
    sys.stdout.flush()
    kept = os.dup(1), os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        for end in (1, 2):
            os.dup2(nowhere, end)
        yield
    finally:
        sys.stdout.flush()
        for end, was in enumerate(kept, 1):
            os.dup2(was, end)
        for one in (*kept, nowhere):
            os.close(one)


def _parameters(worker: Any) -> dict[str, list[str]]:
    """Return the arguments' names of each function, constructor and forward, in order."""
    if worker.submission is None:
        return {}
    found: dict[str, list[str]] = {}
    for entry in _asked(worker, ListFunctions()).functions:
        found[entry.name] = [one.name for one in entry.arguments or ()]
    for entry in (decode(Entry, one) for one in _copied(worker.submission.classes())):
        found[f"{entry.name} made"] = [one.name for one in entry.constructor or ()]
        found[entry.name] = [one.name for one in entry.arguments or ()]
    return found


def _renamed(
    before: Mapping[str, list[str]], after: Mapping[str, list[str]]
) -> dict[str, dict[str, str]]:
    """Return what each argument is called now: what is not called as before stands in order."""
    found: dict[str, dict[str, str]] = {}
    for name, names in before.items():
        now = after.get(name, names)
        gone = [one for one in names if one not in now]
        new = [one for one in now if one not in names]
        found[name] = {one: one for one in names if one in now} | dict(zip(gone, new, strict=False))
    return found


def _held(worker: Any, series: Series, result: Run, renamed: dict[str, dict[str, str]]) -> int:
    """Repeat calls and hold what comes of them against what came. Return how many agree."""
    recipe = series.recipe
    own = renamed.get(recipe.name, {})
    if isinstance(recipe, ObjectRecipe):
        recipe = replace(
            recipe, kwargs=_with(recipe.kwargs, renamed.get(f"{recipe.name} made", {}))
        )
    weights = _weights(worker, recipe, series.weights) if series.weights else {}
    calls = [
        replace(call, kwargs=_with(call.kwargs, own), weights=_given(call.weights, weights))
        for call in series.calls
    ]
    given = _given(series.weights, weights)
    again = replace(series, recipe=recipe, calls=calls, weights=given)
    made_now = _asked(worker, MakeCalls(series=[again])).results[0]
    if _fault(result) != _fault(made_now):
        raise Unproved(f"what making it raises in: {_fault(made_now)}, was {_fault(result)}")
    if result.fault is not None:
        return 1
    return _agreed(calls, result.answers, made_now.answers, weights)


def _given(before: Mapping[str, Tensor], weights: Weights) -> dict[str, Tensor]:
    """Return weights by their names now; what is not given is not there."""
    made = {name: _stacked(before, was) for name, was in weights.items()} if before else {}
    return {name: one for name, one in made.items() if one is not None}


def _with(arguments: Mapping[str, _Value], names: Mapping[str, str]) -> dict[str, _Value]:
    return {names.get(name, name): value for name, value in arguments.items()}


def _agreed(
    calls: list[Call], before: list[Outcome], after: list[Outcome], weights: dict[str, list[Piece]]
) -> int:
    """Hold the answers of calls against those before. Return how many agree. Raise Unproved."""
    agreed = 0
    for call, old, new in zip(calls, before, after, strict=True):
        if call.train or call.autocast or call.dtype not in {"", "float64"}:
            continue
        out, asked = old.out, call.shape
        if isinstance(out, Tensor) and asked is not None and out.dim() != len(asked):
            # What comes of a mask that has no place in the kata may come of chance.
            continue
        if _fault(old) != _fault(new):
            raise Unproved(f"what a call raises in: {_fault(new)}, was {_fault(old)}")
        _agree(old.out, new.out, "out")
        if bool(old.carried) != bool(new.carried):
            raise Unproved(f"what is carried is {new.carried!r}, was {old.carried!r}")
        for name, was in weights.items() if old.grads else ():
            _agree(_stacked(old.grads, was), new.grads.get(name), f"{name}'s gradient")
        for name, grad in old.input_grads.items():
            _agree(grad, new.input_grads.get(name), f"{name}'s gradient")
        if old.modified != new.modified:
            raise Unproved("it writes to other inputs")
        agreed += 1
    return agreed


def _fault(answer: Run | Outcome) -> str | None:
    """Where something was raised; of which type depends on which call it was that raised."""
    return answer.fault and (answer.fault.phase or "loading")


def _weights(worker: Any, recipe: Recipe, given: dict[str, Tensor]) -> dict[str, list[Piece]]:
    """Return by each weight's name what it was, in several pieces where these were fused."""
    try:
        there = worker._built(recipe).weights  # noqa: SLF001 - as the worker makes it
    except Exception as fault:  # noqa: BLE001 - whatever a constructor raises
        raise Unproved(f"it cannot be made: {fault}") from None
    if set(there) == set(given):
        return {name: [(name, None)] for name in given}
    try:
        return _by_meaning(there, given)
    except Unproved:
        # In a list layers have no names: places say what they are, and the numbers whether so.
        own = {name: name for name in there if name in given}
        new, old = ([n for n in some if n not in own] for some in (there, given))
        if [tuple(there[n].shape) for n in new] != [tuple(given[n].shape) for n in old]:
            raise
    return {n: [(was, None)] for n, was in (own | dict(zip(new, old, strict=True))).items()}


def _by_meaning(there: Iterable[str], given: Iterable[str]) -> dict[str, list[Piece]]:
    """Return what each weight was, as far as its name says it."""
    left: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for name in given:
        left[_meant(name)].append(name)
    found: dict[str, list[Piece]] = {}
    for name in there:
        found[name] = _pieces(_meant(name), left)
    if any(left.values()) and not any(part for some in found.values() for _, part in some):
        raise Unproved(f"its weights are {sorted(there)}, not {sorted(given)}")
    return found


def _pieces(meant: tuple[str, ...], left: dict[tuple[str, ...], list[str]]) -> list[Piece]:
    """Return what a weight was: a whole one, three one after the other, or a third of one."""
    if left[meant]:
        return [(left[meant].pop(0), None)]
    three = [_in_place(meant, "fused", role) for role in _THREE]
    if "fused" in meant and all(left[one] for one in three):
        return [(left[one].pop(0), None) for one in three]
    for part, role in enumerate(_THREE):
        whole = left[_in_place(meant, role, "fused")]
        if role in meant and whole:
            return [(whole[0], part)]
    raise Unproved(f"it has a weight that was not there: {'.'.join(meant)}")


def _stacked(weights: Mapping[str, Tensor | None], pieces: list[Piece]) -> Tensor | None:
    """Return a weight, or a gradient, made of what it was."""
    parts: list[Tensor] = []
    for name, part in pieces:
        weight = weights.get(name)
        if weight is None:
            return None
        parts.append(weight if part is None else weight.chunk(len(_THREE))[part])
    return parts[0] if len(parts) == 1 else torch.cat(parts)


def _in_place(meant: tuple[str, ...], role: str, other: str) -> tuple[str, ...]:
    return tuple(other if part == role else part for part in meant)


def _meant(name: str) -> tuple[str, ...]:
    """Return what a weight's name says: a layer's new name says the same, and so does its place."""
    *parts, last = name.split(".")
    said = [meaning(part, LAYERS) or part for part in parts]
    roles = [part for part in said if part in LAYERS]
    # A raw parameter is a layer's weight; in a dictionary of layers, the key says what it is.
    if meaning(last, LAYERS) in LAYERS:
        return (*said, str(meaning(last, LAYERS)), "weight")
    return (*(roles or said), last)


def _agree(old: Any, new: Any, name: str) -> None:
    """Raise Unproved unless two tensors hold the same numbers, as far as their dtype can tell."""
    if not isinstance(old, Tensor) or not isinstance(new, Tensor):
        if type(old) is not type(new):
            raise Unproved(f"{name} is {type(new).__name__}, was {type(old).__name__}")
        return
    if old.shape != new.shape or old.dtype != new.dtype:
        raise Unproved(
            f"{name} is {new.dtype} {list(new.shape)}, was {old.dtype} {list(old.shape)}"
        )
    if not old.is_floating_point():
        if not torch.equal(old, new):
            raise Unproved(f"{name} differs")
        return
    finite = old[torch.isfinite(old)]
    scale = float(finite.abs().max()) if finite.numel() else 1.0
    close = _CLOSE[old.dtype]
    if not torch.allclose(old, new, rtol=close, atol=close * max(scale, 1e-3), equal_nan=True):
        raise Unproved(f"{name} differs by {float((old - new).abs().max()):.2g} of {scale:.2g}")
