"""The judging of functions and of classes with weights, against the model answer's calls."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from ...kata.catalogue import Kata
from .. import budget
from ..crashes import because, meant
from ..device_verdict import judge_device
from ..evidence import by_words
from ..lines import own_imports
from ..messages import say
from ..on_device import Again, DeviceRun
from ..process import Candidate, Ended
from ..report import Diagnosis, Report
from ..sheet import Sheet
from ..source import Source
from ..subject import Subject
from ..unjudged import known
from .again import DirectAgain
from .checks import try_all
from .diagnose import diagnose, raising
from .examine import Examination
from .find import Entry, found
from .flow import Flow, doubts, follow
from .objects import chosen
from .page import Page
from .rules import broken, misplaced
from .timed import subject_of
from .trials import Finding, Trial
from .truth import answers, weighs
from .weighing import Weighing

__all__ = ["Refused", "judge"]

OnDevice = Callable[[Sheet, Again], DeviceRun | None]

# Seconds of processor time for all that is named in a file; most take a tenth of one.
_NAMING = 20.0
_TELLING = ("values", "mask", "causality", "lengths", "stability", "gradients")


class Refused(Exception):
    """The functions cannot be judged. kind and message as in the report's error.

    diagnosis: the mistake behind it, where the exception tells it.
    """

    def __init__(
        self, kind: str, message: str, line: int | None = None,
        diagnosis: list[Diagnosis] | None = None,
    ) -> None:  # fmt: skip
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.line = line
        self.diagnosis = diagnosis or []


def judge(
    kata: Kata, candidate: Candidate, source: Source, report: Report, job: dict[str, Any],
    classes: list[dict[str, Any]], *, on_device: OnDevice,
) -> Subject:  # fmt: skip
    """Fill in a report on the functions of a file that was loaded. Raise Refused, Ended, Foul.

    classes: those that the file defines. on_device: judges what has passed once more on a
    real accelerator, where there may be one; the candidate is gone then. What may be timed of
    the file is returned.
    """
    judging = _Judging(kata, candidate, source, report, job, on_device=on_device)
    return subject_of(kata, source, candidate.path, judging.run(classes))


class _Judging:
    """One file under one kata of functions."""

    def __init__(
        self, kata: Kata, candidate: Candidate, source: Source, report: Report,
        job: dict[str, Any], *, on_device: OnDevice,
    ) -> None:  # fmt: skip
        self.kata = kata
        self.candidate = candidate
        self.source = source
        self.report = report
        self.job = job
        self.on_device = on_device
        self.language: str = job["language"]

    def run(self, classes: list[dict[str, Any]]) -> list[Examination]:
        """Judge every function that is asked for."""
        asked = self.kata.asked
        entries = self.candidate.ask({"do": "functions"})["functions"]
        module = asked.functions[0].module is not None
        taken = self._class(classes) if module else found(
            asked.functions, entries, self.job["class"]
        )  # fmt: skip
        if len(taken) < len(asked.functions):
            raise self._no_class(classes, entries) if module else self._not_there(
                taken, entries, classes
            )  # fmt: skip
        self.report.object = ", ".join(taken[one.name]["name"] for one in asked.functions)
        truth = answers(self.kata)
        assert truth is not None
        kind = Weighing if module else Examination
        examinations = [
            kind(
                self.kata, one, taken[one.name], self.candidate, truth,
                seed=self.job["seed"], convention=self.job["mask"],
            )
            for one in asked.functions
        ]  # fmt: skip
        for one in examinations:
            fault = one.bind()
            if one.bound is None:
                raise self._signature(one)
            if fault is not None:
                raise self._unrun(one, fault)
        faults: list[dict[str, Any]] | None = None
        for one in examinations:
            try_all(one)
            met = one.pretend()
            faults = faults if met is None else [*(faults or []), *met]
            one.watch()
            one.measure()
            if isinstance(one, Weighing):
                self.report.roles = {
                    role: ", ".join(names) for role, names in one.held.roles.items()
                }
        self._write(examinations, faults)
        return examinations

    def _write(self, examinations: list[Examination], faults: list[dict[str, Any]] | None) -> None:
        """Fill in the report. faults: what came of a pretended GPU, None where none was tried."""
        page = Page(self.report, self.source, self.language, self.kata.asked)
        of_memory = any(_asks_of_memory(one) for one in examinations)
        for one in examinations:
            name = one.function.name
            page.rules(name, list(broken(one.function, one.entry, one.seen, self.source)), "rules")
            if of_memory:
                first = next(misplaced(one.function, [*one.seen, *one.measured]), None)
                page.rules(name, [first] if first else [], "structure")
        line = own_imports(self.source)
        if line is not None:
            page.set("rules", "fail", self._say("forbidden-call", call="`attn_kata`"))
            page.blame("forbidden-call", line, call="`attn_kata`")
        page.follows("rules")
        if of_memory:
            page.follows("structure")
        for one in examinations:
            if isinstance(one, Weighing):
                page.parameters(one)
                page.dropout(one)
        for one in examinations:
            page.masks(one)
        page.outputs(examinations)
        page.manners(examinations)
        if faults is not None:
            # The pretended GPU does not follow what autograd does.
            faults = [] if page.blames("autograd-used") else faults
            judge_device(page, faults, self.on_device(page, DirectAgain(examinations)))
        page.finish()
        # The verdict stands, named or not, where the time for it runs out on either side.
        with suppress(Ended, budget.Spent), budget.limited(_NAMING):
            for one in examinations if self.job["diagnose"] else ():
                self._diagnose(page, one)
        for one in examinations:
            if isinstance(one, Weighing):
                page.unread(one)
        self._flow(page, examinations)

    def _diagnose(self, page: Page, one: Examination) -> None:
        wrong = [check for check in _TELLING if one.found.findings.get(check)]
        low = one.found.findings.get("dtypes", [])
        if not wrong and not low:
            return
        if page.uncarried(one) or one.found.state == "fail-random":
            # Numbers that are others each time are no mistake's.
            return
        page.dtype(one)
        evidence: list[Trial] = list(one.seen)
        further: list[Trial] = []
        found = one.found.findings
        training = all(f.trial.case.train for check in wrong for f in found[check])
        if training and wrong and isinstance(one, Weighing):
            # What train mode alone shows is explained by what is seen there.
            evidence = one.recorded([one.in_training(trial) for trial in one.seen])
        for check in wrong:
            many = sorted(found[check], key=lambda f: f.trial.weight)
            many = [finding for finding in many if not finding.trial.case.grad]
            evidence += [one.again(finding.trial) for finding in many[:1]]
            if check == "stability":
                # A few large scores may miss what many show: an overflow, or a row of zeros.
                further += [one.again(finding.trial) for finding in many[1:][-1:]]
        off = [finding.trial for finding in low if finding.kind == "values"]
        if off and not wrong:
            evidence.append(one.again(min(off, key=lambda trial: trial.weight)))
        name = one.function.name
        with suppress(budget.Spent):
            page.name(diagnose(self.kata, name, evidence, further, page.places))
        if not self.report.diagnosis:
            page.guess(one)

    def _flow(self, page: Page, examinations: list[Examination]) -> None:
        """Show one call: of the first function that is wrong, one that goes wrong."""
        wrong = self.report.verdict == "fail"
        bad = [one for one in examinations if one.function.name in page.wrong]
        one = (bad or examinations)[0]
        flow = self._followed(one)
        if flow is not None:
            departs = wrong and _wrong(flow.trial)
            self.report.departure = flow.departure(self.language) if departs else None
            self.report.trace = flow.steps(page.sizes, told=self.report.departure is not None)
            self.report.traced = self._case(one, flow)
        if self.job["heat"]:
            weighing = next((each for each in examinations if weighs(each.right)), None)
            if weighing is not None and weighing is not one:
                one, flow = weighing, self._followed(weighing)
            self.report.heat = flow.heat(self._case(one, flow)) if weighing and flow else None

    def _followed(self, one: Examination) -> Flow | None:
        """Follow one call of a function: a wrong one if there is, and one whose axes are told."""
        wrong = [trial for trial in one.seen if _wrong(trial)]
        pool = wrong or [trial for trial in one.seen if not trial.group][::-1]
        shown = min(pool, key=lambda trial: doubts(trial, one.sizes), default=None)
        return shown and follow(self.kata, one.right, shown)

    def _case(self, one: Examination, flow: Flow) -> str:
        label = flow.trial.case.label(one.function, one.sizes, self.language)
        if len(self.kata.asked.functions) == 1:
            return label
        return self._say("direct-of", name=one.function.name, text=label)

    # -- what cannot be judged -------------------------------------------------------------

    def _class(self, classes: list[dict[str, Any]]) -> dict[str, Entry]:
        """The class that is meant, under the name that the kata has for it."""
        function = self.kata.asked.functions[0]
        entry = chosen(function, classes, self.job["class"], self.source.mentions)
        if entry is not None and entry["forward"] is None:
            self.report.object = entry["name"]
            raise Refused("forward", self._say("forward-missing", name=entry["name"]))
        return {} if entry is None else {function.name: entry}

    def _no_class(self, classes: list[dict[str, Any]], functions: list[Entry]) -> Refused:
        wanted = self.kata.asked.functions[0].name
        told = self._listed(f"{one['name']} ({one['line']})" for one in classes)
        if self.job["class"] is not None:
            name = self.job["class"]
            return Refused("no-class", self._say("no-class-named", name=name, found=told or "-"))
        if classes:
            return Refused("no-class", self._say("class-unclear", found=told))
        if functions:
            told = self._listed(f"`{one['name']}` ({one['line']})" for one in functions)
            message = self._say("class-not-function", wanted=wanted, found=told)
            return Refused("no-class", message, functions[0]["line"])
        return Refused("no-class", self._say("no-class", kata=self.kata.id, wanted=wanted))

    def _not_there(
        self, taken: dict[str, Entry], entries: list[Entry], classes: list[dict[str, Any]]
    ) -> Refused:
        missing = [one for one in self.kata.asked.functions if one.name not in taken]
        wanted = self._listed(f"`{one.signature}`" for one in missing)
        if entries:
            told = self._listed(f"`{one['name']}` ({one['line']})" for one in entries)
            key = "functions-missing" if taken and self.job["class"] is None else "no-function"
            return Refused("no-class", self._say(key, wanted=wanted, found=told))
        if classes:
            told = self._listed(f"`{one['name']}` ({one['line']})" for one in classes)
            return Refused("no-class", self._say("no-function-class", wanted=wanted, found=told))
        return Refused("no-class", self._say("no-function-at-all", wanted=wanted))

    def _signature(self, one: Examination) -> Refused:
        line = one.entry["line"]
        called = one.function.call("forward" if isinstance(one, Weighing) else "")
        message = self._say(
            "direct-signature", wanted=f"`{called}`", name=one.entry["name"],
            line=line,
        )  # fmt: skip
        return Refused("forward", message, line)

    def _unrun(self, one: Examination, finding: Finding) -> Refused:
        """What the plainest call raised, or that it gave no tensor."""
        fault = finding.fault
        name = one.entry["name"]
        if fault is None:
            message = self._say("direct-nothing", name=name, kind=finding.words)
            return Refused("forward", message, one.entry["line"])
        line, reason = fault["line"], fault["message"].split("\n")[0] or fault["type"]
        if "NotImplementedError" in fault["kinds"]:
            return Refused("forward", self._say("unwritten", line=line), line)
        intended = meant(reason, self.source)
        if intended is not None:
            message = self._say("load-misspelt", line=line, reason=reason, meant=intended)
            return Refused("forward", message, line)
        given = finding.trial.call["kwargs"]
        if isinstance(one, Weighing) and fault["phase"] == "construct":
            made = ", ".join(f"{n}={_plain(v)}" for n, v in one.recipe["kwargs"].items())
            message = self._say("construct-raised", name=name, given=made or "…", line=line,
                                kind=fault["type"], reason=reason)  # fmt: skip
            return Refused("construct", message + because(fault, self.source, self.language), line)
        call = f"{'forward' if isinstance(one, Weighing) else name}({', '.join(given) or '…'})"
        message = self._say(
            "direct-raised", call=call, kind=fault["type"], line=line, reason=reason
        )
        named = self._behind(one, finding, fault)
        message += because(fault, self.source, self.language, cause=not named)
        return Refused("forward", message, line, named)

    def _behind(self, one: Examination, finding: Finding, fault: dict[str, Any]) -> list[Diagnosis]:
        """The mistake that an exception gives away, by its words or by the model answer's own."""
        line, told = fault["line"], by_words(fault)
        if told is not None:
            return [known(told, line, self.source, self.language)]
        slip = raising(self.kata, one.function.name, finding.trial, fault["message"])
        if slip is None:
            return []
        text, yours = slip.words[self.language], self.source.line(line).strip() or None
        return [Diagnosis(mistake=slip.id, line=line, message=text, yours=yours)]

    def _listed(self, words: Any) -> str:
        return self._say("comma").join(words)

    def _say(self, key: str, **values: object) -> str:
        return say(key, self.language, **values)


def _plain(value: object) -> str:
    return "…" if isinstance(value, dict) else str(value)


def _asks_of_memory(one: Examination) -> bool:
    asked = one.function.memory
    told = (
        asked.view_of, asked.copy_of, asked.strides, asked.largest, asked.apart, asked.carried,
    )  # fmt: skip
    return any(told) or asked.contiguous is not None


def _wrong(trial: Trial) -> bool:
    return trial.judge(trial.answer) is not None
