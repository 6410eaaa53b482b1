"""What is right: the model answer's functions, whole or edited, and the steps that they name."""

from __future__ import annotations

import ast
import marshal
from collections.abc import Callable, Generator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

import torch
from torch import Tensor, nn

from ...kata.catalogue import Kata, katas
from ...kata.slips import Edit, Slip, edited, fits, slips, with_number
from ..candidate.optimizers import without_compiler
from ..candidate.stand_in import listed
from ..diagnose.milestones import HIDDEN
from .given import Given
from .named_steps import STEPS, NamedSteps, noted, scope_of, telling

__all__ = [
    "FAULTS",
    "Answer",
    "Answers",
    "Made",
    "Ready",
    "answers",
    "executed",
    "made",
    "options",
    "read_all",
    "source_of",
    "weighs",
]

# What a model answer may raise when it is edited, or given weights that are not its own.
FAULTS = (
    RuntimeError, ArithmeticError, AttributeError, LookupError, NameError, TypeError, ValueError,
)  # fmt: skip

# Objects that are kept.
_MOST_BARE = 256
# Edited answers that are kept: more than one search for pairs tries, at 7 to 15 kB.
_MOST_ANSWERS = 4096
Answer = Callable[..., Any]
Answers = dict[str, Answer]


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """What a call gave: its results in order, and the tensors it named on the way.

    many: how many came back together, None among them; 0 for one alone.
    """

    results: tuple[Tensor, ...]
    steps: dict[str, Tensor]
    many: int = 0

    def counted(self, left_out: str) -> Tensor | None:
        """Which rows of the result have an agreed answer, (…, 1); None where all have one.

        left_out: the step whose rows hold nothing but hidden scores where there is none.
        """
        scores = self.steps.get(left_out)
        if scores is None:
            return None
        able = (scores > HIDDEN).any(-1, keepdim=True)
        while able.dim() > self.results[0].dim():
            # Heads that were merged: a row counts where it has something to attend in each.
            able = able.all(dim=1)
        return None if bool(able.all()) else able


@lru_cache(maxsize=_MOST_ANSWERS)
def answers(kata: Kata, edits: tuple[Edit, ...] = ()) -> Answers | None:
    """Return the functions of the model answer, edited; None where the edits do not go together."""
    source = kata.solution()
    for edit in edits:
        if not fits(edit, source):
            return None
        source = edited(edit, source)
    return executed(kata, source)


def read_all() -> None:
    """Read every kata and its model answer, for those that are forked from here."""
    for kata in katas():
        # Whatever is wrong with somebody else's, the judge that it is asked of says so.
        with suppress(Exception):
            if kata.asked.functions and not kata.lacking:
                answers(kata)


def executed(kata: Kata, source: str) -> Answers | None:
    """Return what a text of the model answer, or like it, defines; None where it is no Python."""
    namespace: dict[str, Any] = {
        "__name__": f"edited_{kata.id}", "__source__": source, STEPS: None,
        "torch": torch, "F": nn.functional,
    }  # fmt: skip
    try:
        for part in telling(source, f"<model answer {kata.id}>", kata.solution()):
            exec(part, namespace)  # noqa: S102 - our own text
    except SyntaxError:
        return None
    return {name: namespace[name] for name in kata.names}


def source_of(answer: Answer) -> str:
    """The text that a function or class of a model answer was made of, edited or not."""
    return scope_of(answer)["__source__"]


@cache
def options(kata: Kata, name: str, numbers: tuple[str, ...]) -> tuple[tuple[Slip, Edit], ...]:
    """Return every mistake that one of a kata's functions can have, the likeliest first.

    numbers: those that the submission has written, which an edit may take.
    """
    source = kata.solution()
    elsewhere = _others(source, name)
    return tuple(
        (slip, edit)
        for slip in slips(kata.folder)
        for template in slip.edits
        for edit in with_number(template, numbers)
        if fits(edit, source) and not any(before in elsewhere for before, _ in edit)
    )


def _others(source: str, name: str) -> str:
    """The text of what has no part in `name`, which does not call it."""
    rows = source.splitlines(keepends=True)
    parts = {
        node.name: node
        for node in ast.parse(source).body
        if isinstance(node, (ast.FunctionDef, ast.ClassDef))
    }
    used, reached = set[str](), [name]
    while reached:
        one = reached.pop()
        used.add(one)
        # Of what it says of its arguments' types nothing is called.
        inside = parts[one].body if one in parts else []
        names = {n.id for row in inside for n in ast.walk(row) if isinstance(n, ast.Name)}
        reached += names & parts.keys() - used
    found = [part for other, part in parts.items() if other not in used]
    return "".join("".join(rows[one.lineno - 1 : one.end_lineno]) for one in found)


def made(
    function: Answer, given: Given, *, whole: bool = True, named: bool = True, ordered: bool = False
) -> Made:
    """Call a function of the model answer, and keep what it and its helpers name.

    For a class: make the object, and repeat the calls before this one. whole: raise what the
    call raises; else keep what it named until then. named: whether what it names is wanted.
    ordered: as `NamedSteps` has it.
    """
    if given.models:
        without_compiler()
        # What it draws is the same each time.
        torch.manual_seed(0)
    steps = NamedSteps(ordered=ordered)
    try:
        call = Ready(function, given) if isinstance(function, type) else function
        gradients = torch.enable_grad() if given.models else nullcontext()
        with gradients, noted(function, steps if named else None):
            result = call(**given.handed)
    except RuntimeError:
        if whole:
            raise
        return Made(results=(), steps=steps.found)
    results: tuple[Tensor, ...] = result if isinstance(result, tuple) else (result,)
    if given.models:
        told = listed(result)
        if isinstance(told, Tensor):
            results = (told,)
    elif given.state and len(results) > 1:
        results = results[:-1]
    output: Tensor = next(iter(results))
    return Made(
        results=tuple(one for one in results if isinstance(one, Tensor)),
        steps={**steps.found, "output": output.detach()},
        many=len(result) if isinstance(result, tuple) else 0,
    )


def weighs(answer: Answer) -> bool:
    """Whether a function or class of the model answer makes attention weights."""
    code = getattr(answer, "forward", answer).__code__
    return "weights" in code.co_varnames[code.co_argcount :]


@dataclass(frozen=True, slots=True)
class _Bare:
    """An object of a model answer's class, and where its parameters are, by name.

    places: the layer that has one, its name there, and itself: None of a parameter that a
    layer may have and has not, such as a bias. own: what the constructor left on the object.
    """

    module: nn.Module
    places: dict[str, tuple[nn.Module, str, nn.Parameter | None]]
    own: dict[str, Any]

    def begin(self) -> None:
        """Make it what its constructor left, whatever earlier calls have kept on it."""
        vars(self.module).clear()
        vars(self.module).update(_apart(self.own))


def _apart(value: Any) -> Any:
    """A copy that shares nothing that changes with its original but parameters and layers."""
    if isinstance(value, dict):
        return {name: _apart(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_apart(one) for one in value]
    is_buffer = isinstance(value, Tensor) and not isinstance(value, nn.Parameter)
    return value.clone() if is_buffer else value


_BARE: dict[Any, _Bare] = {}


def _bare(kind: type, settings: tuple[tuple[str, Any], ...], *, fresh: bool) -> _Bare:
    """An object of a class; one that another class's constructor made, if it is the same text.

    fresh: whether it may not have what earlier calls have kept on it.
    """
    key = marshal.dumps(kind.__init__.__code__), kind.__name__, settings
    # Parts of the answer's own may be edited as well: then it is one class's alone.
    whole = kind, settings
    if key in _BARE:
        _BARE[key].module.__class__ = kind
        if fresh:
            _BARE[key].begin()
        return _BARE[key]
    if whole in _BARE and not fresh:
        return _BARE[whole]
    made = _new(kind, settings)
    parts = (part for part in made.module.modules() if part is not made.module)
    torchs = all(type(part).__module__.startswith("torch.") for part in parts)
    # Parts may keep something that `begin` does not know of.
    if torchs or not fresh:
        if len(_BARE) > _MOST_BARE:
            _BARE.clear()
        _BARE[key if torchs else whole] = made
    return made


def _new(kind: type, settings: tuple[tuple[str, Any], ...]) -> _Bare:
    with _undrawn_weights():
        module: nn.Module = kind(**dict(settings)).eval()
    places = {
        f"{owner}.{leaf}".strip("."): (layer, leaf, one)
        for owner, layer in module.named_modules()
        for leaf, one in layer._parameters.items()  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
    }
    return _Bare(module, places, _apart(vars(module)))


class Ready:
    """An object of the model answer's class, brought to where a call finds it.

    Raises RuntimeError where a weight has another shape than it has there: an answer edited to
    other widths takes what the right one does not.
    """

    def __init__(self, kind: type, given: Given) -> None:
        settings = tuple(given.settings.items())
        # One that hands something on may keep something too.
        bare = _bare(kind, settings, fresh=bool(given.state))
        self.module: nn.Module = bare.module
        # A weight that is no layer's has its own name alone.
        held = {
            told if told in bare.places else told.removesuffix(".weight"): weight
            for told, weight in given.held.items()
        }
        # What a layer has that is given none is what it began as, whatever calls before had given.
        for name, (layer, leaf, own) in bare.places.items():
            weight = held.get(name, own)
            if own is not None and weight is not None and own.shape != weight.shape:
                raise RuntimeError(f"{name} is {(*own.shape,)}, and {(*weight.shape,)} given")
            # A plain tensor in the parameter's place, so that gradients reach the one given;
            # `nn.Module` would look for its place anew each time.
            layer._parameters.pop(leaf, None)  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
            vars(layer)[leaf] = weight
        self.given = given
        self.kept: dict[str, Any] = {}
        for earlier in given.before:
            # What raises keeps nothing, there as here.
            with suppress(*FAULTS):
                self._call(earlier, earlier.handed)

    def __call__(self, **arguments: Any) -> Any:
        """Make the call itself, and return all that it gives back."""
        return self._call(self.given, arguments)

    def _call(self, given: Given, arguments: dict[str, Any]) -> Any:
        state = {given.state: self.kept.get(given.carried)} if given.state else {}
        result = self.module(**{**arguments, **state})
        if given.kept:
            self.kept[given.kept] = result[-1] if isinstance(result, tuple) else None
        return result


@contextmanager
def _undrawn_weights() -> Generator[None]:
    """Have layers made in float64, and linear ones draw no weights, since they are given some."""

    def leave(self: nn.Linear) -> None:
        """Leave the memory as it is."""

    draw, dtype = nn.Linear.reset_parameters, torch.get_default_dtype()
    nn.Linear.reset_parameters = leave
    torch.set_default_dtype(torch.float64)
    try:
        yield
    finally:
        nn.Linear.reset_parameters = draw
        torch.set_default_dtype(dtype)
