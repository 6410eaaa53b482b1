"""What was found of functions, written into the report: one entry a check."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ...kata.functions import Asked
from ..diagnose.diagnose import Named
from ..diagnose.giveaways import mode_line, random_line, state_line
from ..diagnose.places import Places
from ..diagnose.spots import whereabouts
from ..process.wire import dtype_name
from ..report.ids import CHECK_IDS
from ..report.message import Said, Value, say
from ..report.report import Difference, Part, Report
from .branches import dropped_alone, returned
from .case import grown, shape_name
from .dropout_verdict import judge_dropout
from .examine import Examination
from .fills import remark_fills, remark_rounding
from .finding import Finding
from .lacking import few, lacks
from .mask_forms import remark_forms
from .overwritten import writing
from .rules import Breach
from .sheet import Sheet
from .source import Source
from .trials import Trial
from .weighing import Weighing
from .weights.compressed import compressed
from .words import Words
from .written import function_at, name_at, within

__all__ = ["Page"]

# What asks for the checks that are tried where values are right.
_LATER = {"dtypes": "dtypes", "causality": "causal_along"}
_GROUPS = ("values", "mask", "lengths", "causality", "gradients", "stability", "dtypes")


class Page(Sheet):
    """The entries of a report about functions.

    several: whether more than one is asked for, and each called by its name. names: theirs.
    """

    def __init__(self, report: Report, source: Source, asked: Asked) -> None:
        super().__init__(report, source)
        self.sizes = asked.sizes
        self.names = {one.name for one in asked.functions}
        self.several = len(self.names) > 1
        self.places = Places(source, "")
        self.words = Words(asked.sizes, source)
        self.wrong: dict[str, dict[str, Said]] = {}
        self.raised: dict[str, int | None] = {}

    # -- the checks ------------------------------------------------------------------------

    def fail(self, one: Examination, check: str, text: Said, cases: int = 0) -> None:
        """A check fails by one function; what is said first of it is kept for each."""
        name = one.function.name
        self.wrong.setdefault(name, {}).setdefault(check, text)
        self.set(check, "fail", self._of(name, text), cases)

    def rules(self, one: Examination, breaches: Sequence[Breach], check: str) -> None:
        """Operators under `rules`, memory under `structure`: each breach with its line."""
        for breach in breaches:
            self.fail(one, check, say(breach.key, **breach.values))
            line = self._return_of(one) if breach.returned else breach.line
            self.blame(breach.mistake, line, breach.key, **breach.values)

    def follows(self, check: str) -> None:
        """Say that a check holds, unless it was said that it does not."""
        self.set(check, "pass", say(f"direct-pass-{check}"))

    def parameters(self, one: Weighing) -> None:
        """Weights that no optimiser would find, and those that do nothing."""
        shown = one.shown
        hidden = sorted({*shown.hidden} - {*shown.frozen})
        # Tensors that are no parameters, beside what learns or alone.
        tensors = bool({*shown.still} - {*shown.frozen}) or not (hidden or shown.registered)
        hidden = hidden or (shown.plain if tensors else [])
        line = getattr(self.lines.own, "lineno", one.entry.line)
        if not one.entry.module:
            self.fail(one, "parameters", say("fail-not-module", name=one.entry.name))
            self.blame("parameters-not-registered", line, "fail-not-module", name=one.entry.name)
        elif hidden:
            names = few(hidden)
            lines = [self.lines.unregistered(n, tensor=tensors) for n in hidden]
            key = "fail-no-parameter" if tensors else "fail-unregistered"
            self.fail(one, "parameters", say(key, names=names))
            self.blame("parameters-not-registered", min((n for n in lines if n), default=line),
                       names=names)  # fmt: skip
        elif lack := lacks(self, one, line):
            self.fail(one, "parameters", lack)
        elif not one.held.aligned:
            self.set("parameters", "skip", say("waits", check="values"))
        else:
            count = len(one.shown.registered)
            self.set("parameters", "pass", say("parameters-pass", count=count), count)
        for name in one.held.unused if one.held.aligned else []:
            layer = name.removesuffix(".weight").removesuffix(".bias").split(".")[-1]
            self.remark("parameter-unused", self.lines.assignment(layer), name=name)

    def dropout(self, one: Weighing, wanted: str) -> None:
        """Where dropout acts in train mode, and at which rate. wanted: as a contract has it."""
        if one.found.findings.get("dropout"):
            self._group("dropout", [one])
            return
        found = one.dropout
        line = random_line(self.source.classes.get(one.entry.name))
        if found is not None and found.place == "noise":
            self.fail(one, "dropout", say("random-in-training"))
            self.blame("nondeterministic", line, "random-in-training")
            return
        if found is not None and found.reading is not None:
            found.line = found.line or line
        none = found is not None and found.place == "none" and not found.calls
        masked = dropped_alone(one, self.source) if none else []
        judge_dropout(self, wanted, found, one.shown.modules, masked)
        check = self.checks.get("dropout")
        if check is not None and check.status == "fail":
            self.wrong.setdefault(one.function.name, {}).setdefault("dropout", check.detail)

    def unread(self, one: Weighing) -> None:
        """Where nothing explains a class's numbers, own up that its weights may be misread."""
        doubted = one.found.findings.get("values") and not one.held.aligned and not one.plain
        if doubted and not self.report.diagnosis:
            names = compressed(one.held.first, one.module.layers)
            key = "query-compressed" if names else "direct-unread"
            check = self.checks["values"]
            check.detail = say("then", first=check.detail, second=say(key, names=names))

    def outputs(self, examinations: Sequence[Examination]) -> None:
        """Shape, values, mask, lengths, causality, gradients, large values and dtypes."""
        for one in examinations:
            many = [f for group in one.found.findings.values() for f in group]
            odd = [f for f in many if f.kind in {"shape", "none", "count", "dtype"}]
            if odd:
                first = min(odd, key=lambda f: f.trial.weight)
                self.fail(one, "shape", self.words.text(first))
                self.show(first)
        asked = (result for one in examinations for result in one.function.results)
        # What depends on a choice is written down nowhere.
        shapes = dict.fromkeys(shape_name(result.shape) for result in asked if result.shape)
        self.set("shape", "pass", say("direct-pass-shape", shapes=", ".join(shapes)))
        for check in _GROUPS:
            self._group(check, examinations)

    def _group(self, check: str, examinations: Sequence[Examination]) -> None:
        total = sum(one.found.counts.get(check, 0) for one in examinations)
        for one in examinations:
            findings = one.found.findings.get(check, [])
            if not findings:
                continue
            smallest = min(findings, key=lambda f: f.trial.weight)
            text = self.words.text(smallest)
            if smallest.kind == "values":
                text = say(
                    "fail-values", failed=len(findings), cases=one.found.counts[check],
                    case=self.words.label(smallest),
                )  # fmt: skip
            elif smallest.kind == "missing":
                text = say("direct-missing", name=smallest.name, cases=len(findings))
            if check == "dtypes":
                text = self._in_dtype(smallest, text)
            self.fail(one, check, text, total)
            if smallest.fault is not None:
                dtype = [self.dtype_of(smallest)] * (check == "dtypes")
                case = say("listed", parts=[*dtype, self.words.label(smallest)])
                self.crashed(check, smallest.fault, case)
                self.raised.setdefault(one.function.name, smallest.fault.line)
            if self.report.difference is None:
                self.show(smallest)
        if total:
            self.set(check, "pass", self._passed(check, examinations), total)
        else:
            wrong = (one.function for one in examinations if one.found.findings.get("values"))
            waits = any(getattr(function, _LATER.get(check, ""), "") for function in wrong)
            self.set(check, "skip", say("waits", check="values") if waits else say("not-asked"))

    def _in_dtype(self, finding: Finding[Any], text: Said) -> Said:
        dtype = self.dtype_of(finding)
        if finding.kind == "values" and finding.gap and math.isfinite(finding.gap.worst):
            off, bound = finding.gap.worst, finding.trial.bound
            case = self.words.label(finding)
            return say("fail-dtype-case", dtype=dtype, off=off, bound=bound, case=case)
        return say("fail-dtype", dtype=dtype, reason=text)

    def _passed(self, check: str, examinations: Sequence[Examination]) -> Said:
        first = examinations[0]
        values: dict[str, Value] = {}
        if check == "values":
            values["dtypes"] = [*dict.fromkeys(dtype_name(one.found.work) for one in examinations)]
        elif check == "mask":
            masked = next(one for one in examinations if one.function.mask is not None)
            mask = masked.function.mask
            assert mask is not None
            values["kinds"] = [say(f"direct-mask-{kind}") for kind in mask.masks]
            shapes = mask.taken or mask.shapes
            values["shapes"] = [shape_name(shape) for shape in shapes]
            values["dtypes"] = [dtype_name(d) for d in masked.mask_dtypes]
        elif check == "gradients":
            names: list[Said] = [
                argument.name
                for one in examinations for argument in one.function.arguments
                if one.function.gradients and argument.gradient
            ]  # fmt: skip
            if any(one.function.module for one in examinations):
                names.append(say("direct-weights"))
            values["names"] = [*dict.fromkeys(names)]
        elif check == "stability":
            large = (one.function for one in examinations if one.function.large)
            told = (grown(function, function.large) for function in large)
            values["grown"] = [*dict.fromkeys(told)]
        elif check == "dtypes":
            names = [name for one in examinations for name in one.found.dtypes]
            values["names"] = [*dict.fromkeys(names)]
        along = check == "causality" and first.function.causal_along
        return say("causality-pass" if along else f"direct-pass-{check}", **values)

    def manners(self, examinations: Sequence[Examination]) -> None:
        """Purity, and what is worth a remark."""
        for one in examinations:
            self._purity(one)
            self._remarks(one)
            remark_fills(self, one)
            remark_rounding(self, one)
        self.follows("purity")

    def _purity(self, one: Examination) -> None:
        found = one.found
        if found.modified:
            names = [f"`{each}`" for each in sorted(found.modified)]
            self.fail(one, "purity", say("fail-modified", names=names))
            step = writing(one)
            self.blame("input-modified", step and step.line, names=names)
        if found.state is not None:
            self.fail(one, "purity", say(found.state))
            if found.state == "fail-random":
                drops = [d for t in one.seen for d in t.answer.dropouts if d.training]
                if drops:
                    line = drops[0].line
                    made = self.places.layer([line], "dropout") if line else None
                    self.blame("dropout-in-eval", mode_line(self.source.tree) or made or line)
                    self.set("dropout", "fail", say("dropout-in-eval"))
                else:
                    self.blame("nondeterministic", self._state_line(one))

    def kept(self, one: Examination) -> None:
        """Where nothing else explains that calls change later ones: what keeps something."""
        state = one.found.state
        told = self.blames("cache-on-self") if state == "fail-kept" else self.told_of(one)
        if state in {"fail-state", "fail-kept", "fail-stale", "fail-unturned"} and not told:
            self.blame("nondeterministic", self._state_line(one), state)

    def _state_line(self, one: Examination) -> int | None:
        return state_line(self.source, one.entry.name) or one.entry.line

    def _remarks(self, one: Examination) -> None:
        found = one.found
        line = one.entry.line
        # An object is made once, whatever is called how often.
        called = [at for at in found.printed if name_at(self.source, at) != "__init__"]
        if found.printed:
            key = "prints" if called else "prints-when-made"
            self.remark("prints", (called or found.printed)[0], key)
        count, wanted = found.container, len(one.function.results)
        if count and (wanted == 1 or count > wanted) and one.function.state is None:
            line = self.lines.last_return() if isinstance(one, Weighing) else line
            key = "returns-tuple-later" if found.place else "returns-tuple"
            self.remark("returns-tuple", line, "returns-more" if wanted > 1 else key,
                        place=found.place + 1, count=count, wanted=wanted)  # fmt: skip
        for own in [one.bound.named[name] for name in one.bound.needed] if one.bound else []:
            self.remark("mask-without-default", self.lines.argument(own), name=own)
        if one.bound and one.bound.unasked:
            names = [f"`{own}`" for own in one.bound.unasked]
            line = self.lines.argument(one.bound.unasked[0])
            self.remark("argument-unknown", line, names=names)
        switched = one.bound.switched if one.bound else ()
        if isinstance(one, Weighing) and one.construction is not None:
            switched = (*one.construction.switched, *switched)
        for own in switched:
            self.remark("switch-off", self.lines.argument(own), name=own)
        if found.nan_rows:
            steps = [s for t in one.seen for s in t.answer.steps]
            line = next((s.line for s in steps if -math.inf in s.numbers), None)
            made = (s.line for s in steps if any(bool(v.isneginf().any()) for v in s.values))
            line = line or self.lines.naming("inf") or next(made, None)
            self.remark("nan-on-empty-row", line)
        if found.forms and one.function.mask is not None:
            remark_forms(self, one, one.function.mask)
        elif found.dropped and not self.blames("mask-dtype"):
            dtypes = [dtype_name(dtype) for dtype in found.dropped]
            self.remark("mask-form", line, "direct-mask-dtypes", dtypes=dtypes)

    # -- the diagnosis ---------------------------------------------------------------------

    def name(self, found: Sequence[Named]) -> None:
        """Put the mistakes that give the submission's numbers into the diagnosis."""
        for one in found:
            if any(d.mistake == one.slip.id and d.line == one.line for d in self.report.diagnosis):
                continue
            self.blame(one.slip.id, one.line, "verbatim", text=one.said(self.report.kata))
            told = self.report.diagnosis[-1]
            told.reference, told.matches = one.reference, one.matches

    def dtype(self, one: Examination) -> None:
        """Name a result of another dtype than asked, at the first step that has its size in it."""
        odd = [f for many in one.found.findings.values() for f in many if f.kind == "dtype"]
        if not odd:
            return
        first = min(odd, key=lambda f: f.trial.weight)
        size = 0 if first.actual is None else first.actual.numel()
        made = (
            step.line for step in one.again(first.trial).answer.steps
            if step.dtype == first.words and math.prod(step.shape or ()) == size
        )  # fmt: skip
        line = next(made, one.entry.line)
        self.blame("result-dtype", line, "verbatim", text=self.words.dtype(first))

    def uncarried(self, one: Examination) -> bool:
        """Say that nothing came back for the next call, if that is so."""
        many = [finding for group in one.found.findings.values() for finding in group]
        found = next((finding for finding in many if finding.kind == "uncarried"), None)
        if found is not None:
            line = returned(one, found.trial, self.source) or self._return_of(one)
            self.blame("state-not-returned", line, name=found.name)
        return found is not None

    # -- one function among several ----------------------------------------------------------

    def of(self, name: str, text: Said) -> Said:
        """What fails on a device, and in which function."""
        self.wrong.setdefault(name, {}).setdefault("device", text)
        return self._of(name, text)

    def finding_text(self, finding: Finding[Any]) -> Said:
        """What a finding says, with its case, and whose it is."""
        return self._of(finding.trial.function.name, self.words.text(finding))

    def show(self, finding: Finding[Any]) -> None:
        """Make a finding the difference that the report shows."""
        right = finding.expected
        trial: Trial = finding.trial
        if right is None or (trial.unread and finding.kind != "shape"):
            return
        function = trial.function
        gradient = finding.kind == "gradient"
        shape = next((one.shape for one in function.results if one.name == finding.name), ())
        difference = Difference(
            case=self.words.label(finding),
            name=f"`{finding.name}`" if gradient or len(function.results) > 1 else "",
            gradient=gradient,
            axes=[] if gradient else [self.sizes.axes.get(axis, axis) for axis in shape],
            expected_shape=list(right.shape),
        )
        difference.where = whereabouts(finding, difference.axes)
        self.differ(difference, finding.actual, right, finding.gap, trial.bound)

    def _of(self, name: str, text: Said) -> Said:
        return say("direct-of", name=name, text=text) if self.several else text

    def _return_of(self, one: Examination) -> int | None:
        return self.places.last_return(one.entry.line or 0) or self.lines.last_return()

    def told_of(self, one: Examination) -> bool:
        """Whether a mistake was named in a function already."""
        own = function_at(self.source, one.entry.line) if self.several else None
        lines = [diagnosis.line for diagnosis in self.report.diagnosis]
        return any(own is None or line is None or within(line, own) for line in lines)

    def finish(self) -> None:
        """Hold back what waits, but not what fails first in another function."""
        super().finish()
        for check in self.report.checks:
            for name, reasons in self.wrong.items():
                first = next(one for one in CHECK_IDS if one in reasons)
                if check.status == "skip" and check.id == first:
                    check.status, check.detail = "fail", self._of(name, reasons[first])

    def decide(self, part: Part, judged: set[str]) -> None:
        """Say of a function that was judged whether it is right, and if not why."""
        if part.name not in judged:
            return
        reasons = self.wrong.get(part.name, {})
        whole = self.report.verdict == "fail" and not self.wrong
        part.status = "fail" if reasons or whole else "pass"
        part.message = next((reasons[name] for name in CHECK_IDS if name in reasons), "")
        own = function_at(self.source, part.line)
        if reasons and own is not None:
            told = (*self.report.diagnosis, self.report.mended)
            lines = [d.line for d in told if d and d.line and within(d.line, own)]
            departs = self.report.departure and self.report.departure.line
            off = departs if departs and within(departs, own) else part.line
            part.line = min(lines, default=self.raised.get(part.name) or off)
