"""The checks: what is tried of one function, and what was found."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

import torch
from torch import Tensor

from ...kata.catalogue import Kata
from ...kata.functions import AUTOGRAD, Function
from ..compare import VALUE_BOUND, low_precision_bound
from ..process import Candidate
from ..recorder import LIMIT
from ..trials import answers_of
from ..wire import dtype_name
from .draw import MASK_DTYPES, Case, Given, cases, draw, dressed, small
from .find import Bound, Entry, ways
from .kept import right_answer
from .trials import Finding, Trial, by_dtype, same
from .truth import Answers

__all__ = ["Examination", "Found"]

# In low precision scores grow to some 8; see `compare`.
_SCORE = 8


@dataclass(slots=True, kw_only=True)
class Found:
    """What came of trying one function.

    counts, findings: by check. dropped: mask dtypes that it does not take, and what came.
    modified: inputs that it changed. state: fail-random or fail-state. work: the dtype that
    values are decided in. device: the first fault on a pretended GPU.
    """

    counts: dict[str, int] = field(default_factory=dict)
    findings: dict[str, list[Finding]] = field(default_factory=dict)
    dropped: dict[torch.dtype, Finding] = field(default_factory=dict)
    modified: set[str] = field(default_factory=set)
    state: str | None = None
    work: torch.dtype = torch.float64
    nan_rows: bool = False
    half_faults: list[dict[str, Any]] = field(default_factory=list)
    device: dict[str, Any] | None = None
    container: int = 0
    place: int = 0


class Examination:
    """Tries one function of a submission.

    convention: what a mask means, "keep", "drop" or "additive".
    """

    def __init__(
        self, kata: Kata, function: Function, entry: Entry, candidate: Candidate,
        truth: Answers, *, seed: int, convention: str,
    ) -> None:  # fmt: skip
        self.kata = kata
        self.function = function
        self.entry = entry
        self.candidate = candidate
        self.right = truth[function.name]
        self.sizes = kata.asked.sizes
        self.convention = convention
        self.generator = torch.Generator().manual_seed(seed)
        self.bound: Bound | None = None
        self.mask_dtypes: list[torch.dtype] = [torch.int64]
        self.found = Found()
        self.seen: list[Trial] = []
        self.measured: list[Trial] = []

    # -- making trials -------------------------------------------------------------------

    def trial(self, case: Case, dtype: torch.dtype | None = None) -> Trial:
        """Draw a case, work out the right answer, and write the call."""
        dtype = dtype or self.found.work
        given = self.drawn(case)
        if dtype is not torch.float64:
            given = given.rounded(dtype)
        return self.trial_of(case, given, dtype)

    def drawn(self, case: Case) -> Given:
        """Draw what a case is called with."""
        return draw(self.function, case, self.generator)

    def trial_of(self, case: Case, given: Given, dtype: torch.dtype) -> Trial:
        """Work out the right answer to what is given, and write the call."""
        trial = Trial(
            function=self.function, case=case, given=given, expected=(), dtype=dtype,
            bound=self._bound_of(case, dtype),
        )  # fmt: skip
        extra: dict[str, Any] = {}
        upstream = self.work_out(trial)
        if upstream is not None:
            extra["grad"] = upstream
        self.write(trial, **extra)
        return trial

    def write(self, trial: Trial, **extra: Any) -> None:
        """Write a trial's call, with whatever else it is to hold."""
        assert self.bound is not None
        case, given = trial.case, trial.given
        needed = {*given.tensors, *given.plain} & set(self.bound.missing)
        usual = {one.name: one.default for one in self.function.arguments if one.optional}
        needed -= {name for name in needed if given.plain.get(name, ...) == usual.get(name, ...)}
        trial.missing = min(needed, default="")
        shapes = [list(one.shape) for one in trial.expected]
        trial.call = self.bound.call(
            given,
            self._handed(trial),
            shape=shapes[0],
            shapes=shapes,
            strided=tuple(n for n, t in given.tensors.items() if case.strided and t.dim() > 1),
            keep=self._kept_dtype,
            # Where it is forbidden it is left on, so that who uses it is told so.
            autograd=AUTOGRAD in self.function.rules.never,
            **extra,
        )

    def posed(self, case: Case, generator: torch.Generator) -> tuple[Given, dict[str, Any]]:
        """Draw a case and write its call, with nothing worked out."""
        assert self.bound is not None
        given = draw(self.function, case, generator)
        trial = Trial(function=self.function, case=case, given=given, expected=(), bound=0.0)
        return given, self.bound.call(given, self._handed(trial), keep=self._kept_dtype)

    @property
    def _kept_dtype(self) -> tuple[str, ...]:
        """The arguments that stay in the dtype in which they are drawn."""
        return tuple(one.name for one in self.function.arguments if not one.floats)

    def _handed(self, trial: Trial) -> dict[str, Tensor]:
        """The tensors as the submission gets them: masks in their meaning and dtype."""
        assert self.bound is not None
        handed = {n: t for n, t in trial.given.tensors.items() if n not in self.bound.missing}
        mask = self.function.mask
        if mask is not None and mask.name in handed:
            dtype = self.mask_dtypes[trial.case.turn % len(self.mask_dtypes)]
            shown = dressed(handed[mask.name], self.convention, dtype, trial.dtype)
            handed[mask.name] = shown
        return handed

    def work_out(self, trial: Trial) -> Tensor | None:
        """Run the model answer; return what its gradients were taken against, if they were."""
        found, upstream = right_answer(
            self.kata, self.function, self.right, trial.given, self.generator, grad=trial.case.grad
        )
        trial.expected, trial.keep, trial.grads = found.results, found.keep, dict(found.grads)
        if upstream is not None:
            self.weigh(trial, found.weights)
        return upstream

    def weigh(self, trial: Trial, grads: dict[str, Tensor]) -> None:
        """Note what the gradients of an object's weights are to be. A function has none."""

    def _bound_of(self, case: Case, dtype: torch.dtype) -> float:
        # Right code may take a detour through float32, whose error grows with the scores.
        rounding = torch.float32 if dtype is torch.float64 and case.gain > 1 else dtype
        if rounding is torch.float64:
            return VALUE_BOUND
        widest = max(
            size for symbol, size in case.sizes.items() if symbol not in self.function.numbers
        )
        bound = low_precision_bound(rounding, widest, widest, _SCORE * max(1, case.gain))
        return max(bound, VALUE_BOUND * (10 if case.gain > 1 else 1))

    # -- asking --------------------------------------------------------------------------

    def run(
        self, trials: Sequence[Trial], dtype: torch.dtype | None = None
    ) -> list[dict[str, Any]]:
        """Have the submission make the calls, one after another, and return its answers."""
        dtype = dtype or self.found.work
        runs: list[dict[str, Any]] = []
        before: Any = None
        for trial in trials:
            # An object serves all calls in a row that are made on one of its kind.
            if not runs or self.object_of(trial) != before:
                before = self.object_of(trial)
                runs.append({"dtype": dtype_name(dtype), "calls": [],
                             "warm": trial.call, **self.way_in(trial)})  # fmt: skip
            runs[-1]["calls"].append(trial.call)
        if not runs:
            return []
        answers: list[dict[str, Any]] = []
        results = self.candidate.ask({"do": "run", "runs": runs})["results"]
        for run, result in zip(runs, results, strict=True):
            answers += answers_of(result, len(run["calls"]))
        return answers

    def object_of(self, trial: Trial) -> Any:  # noqa: ARG002 - a function is the same for all
        """What tells the object of one call from that of another."""
        return None

    def way_in(self, trial: Trial) -> dict[str, Any]:  # noqa: ARG002 - as above
        """How what a trial calls is made, and its weights."""
        return {"recipe": self.recipe, "weights": {}}

    @property
    def recipe(self) -> dict[str, Any]:
        """How the candidate's process finds the function, or makes the object of first sizes."""
        return self.recipe_at(self.sizes.first())

    def recipe_at(self, sizes: dict[str, int]) -> dict[str, Any]:  # noqa: ARG002 - as above
        """The same at other sizes."""
        return {"function": self.entry["name"]}

    # -- the steps -----------------------------------------------------------------------

    def bind(self) -> Finding | None:
        """Find the way to call the function; return what the plainest call raised, if it did.

        The first way that is right, else the first that runs, else the first.
        """
        outcomes: list[tuple[int, Bound, torch.dtype, Finding | None]] = []
        for bound in ways(self.function, self.entry):
            for work in (torch.float64, torch.float32):
                self.bound, self.found.work = bound, work
                finding = self._first_try()
                rank = 0 if finding is None else 2 if finding.kind in {"raised", "none"} else 1
                outcomes.append((rank, bound, work, finding))
                if finding is None or finding.kind != "raised" or not by_dtype(finding):
                    break
            if not outcomes[-1][0]:
                break
        if not outcomes:
            self.bound = None
            return None
        rank, self.bound, self.found.work, finding = min(outcomes, key=lambda one: one[0])
        self.try_mask_dtypes()
        return finding if rank == 2 else None

    def _first_try(self) -> Finding | None:
        case = next(small(self.function, self.sizes, mask=self.function.needs_mask))
        self.mask_dtypes = [torch.bool]
        trial = self.trial(case)
        return trial.judge(self.run([trial])[0])

    def try_mask_dtypes(self) -> None:
        """Leave out the mask dtypes that raise where another one does not."""
        mask = self.function.mask
        if mask is None or self.convention == "additive":
            return
        case = next(small(self.function, self.sizes, mask=True), None)
        if case is None:
            return
        works: list[torch.dtype] = []
        fails: dict[torch.dtype, Finding] = {}
        for dtype in MASK_DTYPES:
            self.mask_dtypes = [dtype]
            trial = self.trial(case)
            finding = trial.judge(self.run([trial])[0])
            if finding and finding.kind == "raised":
                fails[dtype] = finding
            else:
                works.append(dtype)
        self.mask_dtypes = works or [torch.int64]
        self.found.dropped = fails if works else {}

    def try_all(self) -> None:
        """Values, masks, lengths, gradients and large values; then again, and in other dtypes."""
        trials = self.trials()
        for trial, answer in zip(trials, self.run(trials), strict=True):
            self._keep(trial, answer, trial.case.check)
        if not self.found.findings.get("values"):
            self._try_dtypes()
        self.try_purity()
        self._try_device()

    def trials(self) -> list[Trial]:
        """All that is tried in the dtype that values are decided in."""
        return [self.trial(case) for case in cases(self.function, self.sizes)]

    def _keep(self, trial: Trial, answer: dict[str, Any], check: str) -> None:
        self.found.counts[check] = self.found.counts.get(check, 0) + 1
        finding = trial.judge(answer)
        if finding is not None:
            self.found.findings.setdefault(check, []).append(finding)
        self.found.modified.update(answer.get("modified", []))
        self.found.container = max(self.found.container, answer.get("many", 0))
        self.found.place = max(self.found.place, answer.get("place", 0))
        if trial.keep is not None:
            for out in trial.results(answer):
                if out.shape == trial.expected[0].shape:
                    self.found.nan_rows |= bool(out[~trial.keep.expand(out.shape)].isnan().any())

    def _try_dtypes(self) -> None:
        for name in self.function.dtypes:
            dtype = getattr(torch, name)
            some = [*small(self.function, self.sizes, mask=False, turn=1)][:2]
            some += [*small(self.function, self.sizes, mask=True, turn=2)][:2]
            needs = self.function.needs_mask
            some = [case for case in some if case.mask is not None or not needs]
            if self.function.far and dtype.itemsize < torch.float32.itemsize:
                some += [replace(case, far=True) for case in some]
            trials = [self.trial(case, dtype) for case in some]
            for trial, answer in zip(trials, self.run(trials, dtype), strict=True):
                fault = answer.get("fault")
                if fault and "not implemented for" in fault["message"]:
                    continue
                if fault and dtype is torch.float16 and "overflow" in fault["message"]:
                    self.found.half_faults.append(fault)
                    continue
                self._keep(trial, answer, "dtypes")

    def try_purity(self) -> None:
        """The same call again at once, and again after another."""
        one, other = (self.trial(case) for case in self.two())
        answers = self.run([one, one, other, one])
        outs = [one.results(answer) for answer in answers]
        self.found.counts["purity"] = len(outs)
        for answer in answers:
            self.found.modified.update(answer.get("modified", []))
        if all(outs[k] for k in (0, 1, 3)):
            if not same(outs[0], outs[1]):
                self.found.state = "fail-random"
            elif not same(outs[0], outs[3]):
                self.found.state = "fail-state"
        elif outs[0]:
            self.found.state = "fail-state"

    def two(self) -> tuple[Case, Case]:
        """Two cases that one object can be called with."""
        many = list(cases(self.function, self.sizes))[:2]
        return many[0], many[-1]

    def _try_device(self) -> None:
        trials = [self.trial(case) for case in self._telling(4)]
        calls = [trial.call for trial in trials if not trial.missing]
        if not calls:
            return
        request = {"do": "pretend", "recipe": self.recipe, "warm": calls[0], "calls": calls}
        self.found.counts["device"] = len(calls)
        answers = self.candidate.ask(request)["answers"]
        self.found.device = next((answer for answer in answers if answer), None)

    def watch(self) -> None:
        """Make calls on the first sizes, in every combination of choices, and keep their steps."""
        trials = [self.trial(case) for case in self._telling(6)]
        self.seen = self.recorded([trial for trial in trials if not trial.missing])

    def measure(self) -> None:
        """Make plain calls on the first sizes and the next, and keep what memory they take."""
        if not self.function.memory.largest:
            return
        rows = list(islice(self.sizes.rows(), 2))
        many = (case for case in cases(self.function, self.sizes) if case.sizes in rows)
        trials = [self.trial(case) for case in many if not case.grad and case.gain == 1]
        trials = [trial for trial in trials if not trial.missing]
        for trial in trials:
            self.write(trial, record={"growing": True})
        for trial, answer in zip(trials, self.run(trials), strict=True):
            trial.answer = answer
        self.measured = trials

    def again(self, trial: Trial) -> Trial:
        """Make a trial's call once more, and keep its steps."""
        return self.recorded([trial])[0]

    def recorded(self, trials: list[Trial]) -> list[Trial]:
        """Make trials' calls, and keep their steps."""
        for trial in trials:
            self.write(trial, record={"values": True})
        dtype = trials[0].dtype if trials else None
        for trial, answer in zip(trials, self.run(trials, dtype), strict=True):
            trial.answer = answer
            if len(answer.get("steps", ())) >= LIMIT:
                answer["steps"] = []
        return trials

    def _telling(self, most: int) -> Iterable[Case]:
        plain = [] if self.function.needs_mask else [
            *small(self.function, self.sizes, mask=False)
        ]  # fmt: skip
        masked = (
            [] if self.function.mask is None else [*small(self.function, self.sizes, mask=True)]
        )
        half = most if not (plain and masked) else max(1, most // 2)
        return [*plain[:half], *masked[:half]]
