"""The candidate's process: runs the submission and answers the judge's requests.

What it says is a claim. The judge draws every weight and input, compares every value
itself, and believes nothing here that behaviour does not confirm.
"""

from __future__ import annotations

import os
import random
import sys
from contextlib import ExitStack, nullcontext
from functools import partial
from typing import Any

import torch
from torch import Tensor

from ..process import wire
from ..process.limits import Limits
from ..process.requests import (
    Asked,
    Attempt,
    Call,
    Describe,
    Lap,
    ListFunctions,
    Load,
    MakeCalls,
    Prepare,
    Pretend,
    Recipe,
    Record,
    Series,
    Start,
    request_of,
)  # fmt: skip
from . import accelerator, kernels
from .accelerator import Accelerator, NoStart
from .building import Built, build
from .carried import entries, watched
from .costly import Costly
from .guard import Guard
from .handed import handed
from .home import settle
from .laps import Laps
from .loading import Submission
from .optimizers import without_compiler
from .passed import Passed
from .pretended_gpu import HOME, Mixed, PretendedGPU
from .recorder import Recorder
from .rehearsal import rehearse
from .results import describe_result, gradients, of_their_own
from .stand_in import listed
from .surroundings import GPUMachine, PrintWatch, Restored
from .watch import Watch, facts, functions

__all__ = ["serve"]

# Bound before any submission runs: what it puts in their place is its own affair.
_getpid, _seed, _grad = os.getpid, torch.default_generator.manual_seed, torch.set_grad_enabled
_seed_python, _no_grad, _grads = random.seed, torch.no_grad, torch.is_grad_enabled
_autocast, _CPU = torch.autocast, torch.device("cpu")
_copy, _detach, _to, _equal = Tensor.clone, Tensor.detach, Tensor.to, torch.equal


def serve(
    channel: int, aside: int, folder: str | None, limits: Limits, protected: set[int]
) -> None:
    """Answer requests until the judge goes away."""
    guard = settle(channel, aside, folder, limits, protected)
    if not limits.accelerator:
        accelerator.hide()
        # One that is to run on a GPU asks for it first, and hears there why it does not start.
        rehearse(_Worker(guard))
    worker = _Worker(guard)
    line = wire.Pipe(channel)
    own = _getpid()
    while True:
        try:
            request = request_of(wire.receive(line))
        except wire.Closed:
            return
        answer = worker.answer(request)
        if _getpid() != own:
            # A fork came back with its parent.
            return
        wire.send(line, answer)


class _Worker:
    """One submission's process."""

    def __init__(self, guard: Guard) -> None:
        self.guard = guard
        self.submission: Submission | None = None
        self.printed: list[int | None] = []
        self.calls = 0
        self.given: dict[str, Tensor] = {}
        self.autograd = True
        self.restored = Restored()
        self.laps = Laps(self.restored, self._built, self._given, self._fault)
        self.costly = Costly()
        self.accelerator: Accelerator | None = None
        # One for all calls: what one of them keeps for the next is where it was.
        self.pretended: PretendedGPU | None = None

    @property
    def loaded(self) -> Submission:
        """The submission; every request but the first needs it."""
        if self.submission is None:
            raise RuntimeError("nothing was loaded")
        return self.submission

    def answer(self, request: Asked) -> dict[str, Any]:
        """Do what is asked; a candidate's exception is an answer like any other."""
        match request:
            case Load():
                return self.load(request)
            case ListFunctions():
                return {"functions": functions(self.loaded)}
            case Describe():
                return self.describe(request)
            case MakeCalls():
                return self.run(request)
            case Pretend():
                return self.pretend(request)
            case Start():
                return self.start(request)
            case Prepare():
                return self.laps.prepare(request)
            case Lap():
                return self.laps.lap()

    def start(self, request: Start) -> dict[str, Any]:
        """Take hold of an accelerator; from then on every object is moved and called there."""
        try:
            held = accelerator.start(request.device)
        except NoStart as fault:
            return {"reason": str(fault)}
        held.exact(tf32=False)
        self.accelerator = held
        return {"place": str(held.place), "name": held.name, "count": held.count}

    def load(self, request: Load) -> dict[str, Any]:
        """Run the file and list its classes."""
        sys.path.extend(dict.fromkeys(request.folders))
        sys.argv = [request.path]
        self.submission = Submission(request.source, request.path, request.package)
        self.guard.path = request.path
        # What the file draws as it loads is the same each time, so that a seed repeats a check.
        _seed(0)
        if request.kernels:
            self._take_kernels()
        with self.restored:
            fault = self.submission.execute(request.cells)
            self.autograd = _grads()
        self.guard.arm()
        return {
            "fault": fault,
            "classes": self.submission.classes(),
            "sizes": self.submission.sizes(),
        }

    def _take_kernels(self) -> None:
        if self.accelerator is not None:
            kernels.compile_kernels()
        else:
            kernels.interpret()
            self.restored.empty = True
        self.restored.keep_environment()

    def describe(self, request: Describe) -> dict[str, Any]:
        """Make objects, call each once on a plain input, and list their weights."""
        answers: list[dict[str, Any]] = []
        for attempt in request.tries:
            with self.restored, self._prints():
                answers.append(self._describe(attempt, values=request.values))
            answers[-1]["printed"] = self._take_prints()
        return {"answers": answers}

    def _describe(self, attempt: Attempt, *, values: bool) -> dict[str, Any]:
        dtype = getattr(torch, attempt.dtype)
        try:
            built = self._built(attempt.recipe)
            together = built.together
            built.convert(dtype)
            built.mode(training=False)
            built.move(self._place)
        except BaseException as exception:  # noqa: BLE001
            return {"phase": "construct", "fault": self._fault(exception, "construct")}
        answer = self._call(built, attempt.call, dtype)
        built.survey()
        shapes = {
            "registered": {name: list(w.shape) for name, w in built.registered.items()},
            "hidden": {name: list(w.shape) for name, w in built.hidden.items()},
            "values": {n: w.detach().clone() for n, w in built.weights.items()} if values else {},
        }
        if "fault" in answer:
            return {"phase": "forward", "fault": answer["fault"], **shapes}
        out = answer["out"]
        return {
            "phase": "done",
            "fits": isinstance(out, Tensor) and list(out.shape) == attempt.call.shape,
            "answer": answer,
            **shapes,
            "modules": built.modules(),
            "plain": [*built.bare],
            "frozen": [*built.frozen],
            "still": [*built.kept_still],
            "together": together,
        }

    def run(self, request: MakeCalls) -> dict[str, Any]:
        """Make a fresh object for each series, give it the weights, and make the calls."""
        results = []
        for series in request.series:
            own = self.loaded
            with self.restored, self._prints(), own.edited(series.source) as self.submission:
                results.append(self._run(series))
            self.submission = own
        return {"results": results, "printed": self._take_prints()}

    def _run(self, series: Series) -> dict[str, Any]:
        dtype = getattr(torch, series.dtype)
        made: list[dict[str, Any]] = []
        try:
            built = self._ready(series, dtype, made)
            if built.lazy or set(built.weights) != set(series.weights):
                self._call(built, series.warm, dtype)
                built.survey()
                built.convert(dtype, wide=series.wide)
            built.load(series.weights)
        except BaseException as exception:  # noqa: BLE001
            return {"fault": self._fault(exception, "construct")}
        answers: list[Any] = []
        with self.costly.watched(built):
            for call in series.calls:
                # What came back may be a view of what is written to now.
                answers = of_their_own(answers) if call.over else answers
                answers.append(self._next(built, call, dtype))
        return {"answers": answers, "made": made}

    def _next(self, built: Built, call: Call, dtype: torch.dtype) -> dict[str, Any]:
        if call.carried and built.kept.get(call.carried) is None:
            # What it is to start from is not there: the call before raised, or kept nothing.
            return {"modified": []}
        if call.dtype:
            dtype = getattr(torch, call.dtype)
            built.convert(dtype)
        if call.weights:
            built.load(call.weights)
        built.mode(training=call.train)
        return watched(built.kept.get(call.carried), partial(self._call, built, call, dtype))

    def _ready(self, series: Series, dtype: torch.dtype, made: list[dict[str, Any]]) -> Built:

        def ready() -> Built:
            recipe = series.recipe
            built = self._made(recipe, made) if series.record else self._built(recipe)
            built.convert(dtype, wide=series.wide)
            built.mode(training=False)
            built.move(self._place)
            return built

        # What a constructor computes, one that runs tells.
        told = (repr(series.recipe), series.dtype, series.wide, series.source)
        key = None if series.record else told
        return self.costly.made(key, ready)

    def _made(self, recipe: Recipe, steps: list[dict[str, Any]]) -> Built:
        """Make the object, and note the torch calls of its constructor."""
        with Recorder(self.loaded.path, {}, {}, Record(values=True)) as recorder:
            built = self._built(recipe)
        steps.extend(step for step in recorder.steps if step["line"] is not None)
        return built

    def pretend(self, request: Pretend) -> dict[str, Any]:
        """Make and call the object as on a GPU machine; say where two devices met."""
        answers: list[dict[str, Any]] = []
        for call in request.calls:
            with self.restored, self._prints(), GPUMachine(self.loaded):
                answers.append(self._pretend(request.recipe, request.warm, call))
        return {"answers": answers}

    def _pretend(self, recipe: Recipe, warm: Call, call: Call) -> dict[str, Any]:
        if self.pretended is None:
            self.pretended = PretendedGPU(self.loaded.path)
        gpu = self.pretended
        try:
            with gpu:
                built = self._built(recipe, HOME)
            built.mode(training=call.train)
            if built.lazy:
                self._call(built, warm, torch.float32)
            given, args, kwargs = self._given(built, call, torch.float32)
            gpu.place(built.thing, given.values())
            with gpu, _no_grad():
                result = built.forward(*args, **kwargs)
            if given:
                # What is given no tensor cannot know of a device.
                gpu.brought_home(describe_result(result, call.shape).get("out"))
        except Mixed as mixed:
            kind, name, line = mixed.origin
            fault = self._fault(mixed, "forward")
            return {"fault": fault, "kind": kind, "name": name, "line": line or fault["line"]}
        except BaseException as exception:  # noqa: BLE001
            fault = self._fault(exception, "forward")
            return {"fault": fault, "kind": "raised", "name": "", "line": None}
        return {}

    def _given(
        self, built: Built, call: Call, dtype: torch.dtype
    ) -> tuple[dict[str, Tensor], list[Any], dict[str, Any]]:
        return handed(call, dtype, self._place, built.kept, self.given)

    @property
    def _place(self) -> torch.device | None:
        return self.accelerator and self.accelerator.place

    def _call(self, built: Built, call: Call, dtype: torch.dtype) -> dict[str, Any]:
        # Every call has its own draw, or a dropout that is never off would look repeatable.
        self.calls += 1
        # The public seeding queues a call, and formats a stack, for every absent GPU.
        _seed(self.calls)
        _seed_python(self.calls)
        if self.accelerator is not None:
            self.accelerator.seed(self.calls)
            self.accelerator.exact(tf32=call.tf32)
        # A constructor may have left it off; whoever imports the file has it as the file leaves it.
        _grad(self.autograd)
        given, args, kwargs = self._given(built, call, dtype)
        self.given = given
        before = {name: _copy(_detach(tensor)) for name, tensor in given.items()}
        recorder, passed = None, Passed(self.loaded.path)
        if call.models:
            without_compiler()
        answer: dict[str, Any]
        phase = "forward"
        try:
            with ExitStack() as stack:
                if call.record is not None:
                    recorder = stack.enter_context(self._recorder(built, call, call.record, given))
                on = call.grad is not None or call.autograd
                stack.enter_context(nullcontext() if on else _no_grad())
                if call.autocast:
                    kind = "cpu" if self._place is None else self._place.type
                    stack.enter_context(_autocast(kind, getattr(torch, call.autocast)))
                if call.record is not None and call.record.lines:
                    stack.enter_context(passed)
                result = built.forward(*args, **kwargs)
                result = listed(result) if call.models else result
            answer = describe_result(result, call.shape)
            if call.shapes:
                answer.update(facts(result, given, call.shapes))
            if call.hold is not None:
                answer["carried"] = built.keep(result, call.hold, len(call.shapes))
                answer["held"] = entries(built.kept[call.hold])
            out = answer.get("out")
            _grad(True)
            phase = "backward"
            if isinstance(out, Tensor) and call.grad is not None:
                answer.update(gradients(built, out, call.grad, given))
        except BaseException as exception:  # noqa: BLE001
            answer = {"fault": self._fault(exception, phase)}
            built.kept.pop(call.hold or "", None)
        if recorder is not None:
            answer |= {"steps": recorder.steps, "dropouts": recorder.dropouts}
        answer["lines"] = sorted(passed.lines)
        answer["modified"] = [
            name for name, tensor in given.items() if not _same(_detach(tensor), before[name])
        ]
        return answer

    def _recorder(
        self, built: Built, call: Call, record: Record, given: dict[str, Tensor]
    ) -> Recorder:
        names, weights = built.names()
        if call.shapes:
            held = {tensor.untyped_storage().data_ptr() for tensor in given.values()}
            return Watch(self.loaded.path, held, names, weights, record)
        return Recorder(self.loaded.path, names, weights, record)

    def _built(self, recipe: Recipe, place: torch.device | None = None) -> Built:
        _seed(0)
        return build(self.loaded.module.__dict__, recipe, place or self._place or _CPU)

    def _fault(self, exception: BaseException, phase: str) -> dict[str, Any]:
        return {**self.loaded.told(exception), "phase": phase}

    def _prints(self) -> PrintWatch:
        return PrintWatch(self.loaded.path, self.printed, lambda: self.calls)

    def _take_prints(self) -> list[int | None]:
        lines, self.printed = self.printed, []
        return lines


def _same(left: Tensor, right: Tensor) -> bool:
    return left.shape == right.shape and _equal(left, right)
