"""The judging of functions and of classes with weights, against the model answer's calls."""

from __future__ import annotations

import ast
from collections.abc import Callable
from contextlib import suppress
from itertools import chain, islice

from ...kata.catalogue import Kata
from ...kata.functions import Function
from ...kata.slips import Edit
from ..diagnose.flow import Flow, doubts, follow
from ..diagnose.lines import own_imports
from ..diagnose.places import Places
from ..process.answers import Entry, Loaded, Stray
from ..process.handle import Candidate, Ended
from ..process.jobs import Job
from ..process.requests import ListFunctions
from ..report.message import Said, say
from ..report.report import Fault, Part, Report
from ..report.report import Named as Other
from . import budget
from .again import DirectAgain
from .beneath import beneath
from .checks import try_all
from .choose import choose
from .configured import with_settings
from .device_verdict import judge_device
from .dtype_verdict import judge_dtype
from .examine import Examination
from .fed import fed_again
from .find import found
from .first_call import keeps, right_alone
from .guess import beside_device, guess
from .lacking import shares
from .mask_forms import refuse_bool
from .maskless import with_masks
from .naming import at_home, calls_for_a_name, name_mistakes
from .objects import chosen
from .on_device import Again, DeviceRun
from .page import Page
from .proving import Proving
from .refusals import Refusals, Refused
from .rewritten import rewrites
from .rules import asks_of_memory, broken, misplaced
from .sheet import Sheet
from .source import Source
from .structure import judge_structure, roles_of
from .subject import Subject
from .timed import subject_of
from .trials import Finding
from .truth import answers, weighs
from .unraised import Raising, mend
from .weighing import Weighing
from .written import function_at, hollow, unwritten

__all__ = ["Refused", "judge"]

OnDevice = Callable[[Sheet, Again], DeviceRun | None]

# Seconds of processor time for all that is named in a file; most take a tenth of one.
_NAMING = 10.0
# How often a process is started again for the functions after the one that ended it.
_LIVES = 2
# Says how a process ended, and starts another that has run the file.
Revive = Callable[[Ended], tuple[Fault, Candidate]]
Afresh = Callable[[str], Candidate]


def judge(
    kata: Kata, candidate: Candidate, source: Source, report: Report, job: Job,
    *, loaded: Loaded, revive: Revive, afresh: Afresh, on_device: OnDevice,
) -> Subject:  # fmt: skip
    """Fill in a report on the functions of a file that was loaded. Raise Refused, Ended, Foul.

    loaded: what the file defines, its classes and sizes. revive: tells how a process ended, and
    starts another. afresh: starts another that runs the file, or a text that is given in its place.
    on_device: judges what has passed once more on a real accelerator, where there may be one;
    the candidate is gone then. What may be timed of the file is returned.
    """
    judging = _Judging(
        kata, candidate, source, report, job, revive=revive, afresh=afresh, on_device=on_device
    )
    judging.run(loaded)
    return subject_of(kata, judging.examinations)


class _Judging:
    """One file under one kata of functions."""

    def __init__(
        self, kata: Kata, candidate: Candidate, source: Source, report: Report,
        job: Job, *, revive: Revive, afresh: Afresh, on_device: OnDevice,
    ) -> None:  # fmt: skip
        self.kata = kata
        self.candidate = candidate
        self.source = source
        self.report = report
        self.job, self.options = job, job.options
        self.revive, self.afresh = revive, afresh
        self.on_device = on_device
        # What came of a pretended GPU; None where none was tried.
        self.faults: list[Stray] | None = None
        self.lives = _LIVES
        # What is right with a mask alone, and what goes wrong without.
        self.unmasked: dict[str, Finding] = {}
        # The mistakes that were named, by the function's name.
        self.told: dict[str, dict[str, Edit]] = {}
        self.refused: list[Refused] = []
        # What is written, and what raised in its first call.
        self.written: list[tuple[Function, Entry]] = []
        self.raising: Raising | None = None
        self.refuse = Refusals(kata, source, job.options.class_name)
        self.examinations: list[Examination] = []

    def run(self, loaded: Loaded) -> None:
        """Judge every function that is asked for and written, whatever the others do."""
        classes, self.globals = with_settings(loaded.classes, self.source), loaded.sizes
        asked = self.kata.asked
        entries = self.candidate.ask(ListFunctions()).functions
        module = asked.functions[0].module is not None
        plain = [one for one in asked.functions if one.module is None]
        taken = self._class(classes) if module else {}
        taken |= found(plain, entries, None if module else self.options.class_name)
        if not taken:
            raise (
                self.refuse.no_class(classes, entries)
                if module
                else self.refuse.not_there(entries, classes)
            )
        named = [taken[one.name].name for one in asked.functions if one.name in taken]
        self.report.object = ", ".join(dict.fromkeys(named))
        for function in asked.functions:
            self._try(function, taken.get(function.name))
        if self.examinations:
            self._write(self.examinations)
        self._sum_up(entries, taken)

    def _try(self, function: Function, entry: Entry | None) -> None:
        """Try one function, if it is written yet. What ends its process ends no other's trial."""
        part = Part(name=function.name, status="waits")
        self.report.functions.append(part)
        part.line = entry.line if entry is not None else None
        empty = hollow(self.source, part.line)
        if entry is None or empty is not None:
            part.line = empty
            return
        # Until it is known to be right, whatever ends the judging is its doing.
        part.status = "fail"
        try:
            self._examine(function, entry, part)
        except Ended as ended:
            if not self.lives or len(self.kata.asked.functions) == 1:
                raise
            self.lives -= 1
            fault, self.candidate = self.revive(ended)
            for one in self.examinations:
                one.candidate = self.candidate
            part.line, part.message = fault.line or part.line, fault.message
            self.refused.append(Refused(fault.kind, fault.message, fault.line))

    def _made(self, function: Function, entry: Entry) -> Examination:
        truth = answers(self.kata)
        assert truth is not None
        kind = Weighing if function.module is not None else Examination
        made = kind(
            self.kata, function, entry, self.candidate, truth,
            seed=self.job.seed, convention=self.options.mask, numbers=self.source.numbers,
        )  # fmt: skip
        if isinstance(made, Weighing):
            made.globals = self.globals
            made.tables = self.source.tables
        return made

    def _examine(self, function: Function, entry: Entry, part: Part) -> None:
        """Bind and try a function that is written; what keeps it from that is noted."""
        self.written.append((function, entry))
        finding = (one := self._made(function, entry)).bind()
        masked = with_masks(one, finding, lambda asked: self._made(asked, entry))
        if masked is not None:
            one, self.unmasked[function.name] = masked
            finding = None
        if one.bound is not None and finding is None:
            try_all(one)
            met = one.pretend()
            self.faults = self.faults if met is None else [*(self.faults or []), *met]
            one.watch()
            one.measure()
            if isinstance(one, Weighing):
                self.report.roles = roles_of(one)
            self.examinations.append(one)
            part.status = "fail" if one.found.findings else "pass"
            return
        missing = unwritten(finding.fault, self.source) if finding and finding.fault else None
        if missing is not None:
            part.status, part.line = "waits", missing
            part.message = self.refuse.waits_for(entry, missing)
            return
        unfit = finding is None or (
            finding.fault is not None and self.refuse.lacks(one, finding.fault)
        )
        refused = (
            self.refuse.signature(one)
            if unfit or finding is None
            else self.refuse.unrun(one, finding)
        )
        part.line, part.message = refused.line or part.line, refused.message
        self.refused.append(refused)
        if finding is not None and self.raising is None:
            self.raising = Raising(one, finding, refused)

    def _sum_up(self, entries: list[Entry], taken: dict[str, Entry]) -> None:
        """Say what became of every function, and what keeps the file from its verdict."""
        parts = self.report.functions
        waiting = [part for part in parts if part.status == "waits"]
        if self.refused:
            first = self.refused[0]
            if self.raising is not None and self.options.diagnose:
                mend(self.raising, self.source, self.report, self._run,
                     lambda: [self._made(*one) for one in self.written])  # fmt: skip
            first.diagnosis += self.report.diagnosis
            raise first
        if not waiting or self.report.verdict == "fail":
            return
        if len(waiting) == len(parts):
            raise self.refuse.unwritten(next(part for part in waiting if part.line is not None))
        names = [f"`{part.name}`" for part in waiting]
        done = len(parts) - len(waiting)
        message = say("functions-wait", done=done, count=len(parts), names=names)
        missing = [one for one in self.kata.asked.functions if one.name not in taken]
        # A helper is called by others; what is not may be meant for one of them.
        used = {node.id for node in ast.walk(self.source.tree) if isinstance(node, ast.Name)}
        used |= {entry.name for entry in taken.values()}
        free = [entry for entry in entries if entry.name not in used]
        refused = Refused("forward", message, waiting[0].line, self.report.diagnosis)
        if missing and free:
            refused.help = self.refuse.not_there(free, [], missing).message
        raise refused

    def _write(self, examinations: list[Examination]) -> None:
        page = Page(self.report, self.source, self.kata.asked)
        if self.kata.promised is not None:
            # What stands outside of the class is its helpers'.
            page.places = Places(self.source, self.report.object or "")
        of_memory = any(asks_of_memory(one.function) for one in examinations)
        for one in examinations:
            page.rules(one, list(broken(one.function, one.entry, one.seen, self.source)), "rules")
            if of_memory:
                others = self.source.lines_of({*self.kata.names} - {one.function.name})
                made = misplaced(one.function, [*one.seen, *one.measured], others)
                page.rules(one, [*islice(chain(made, fed_again(one)), 1)], "structure")
        page.imports(own_imports(self.source))
        page.follows("rules")
        if of_memory:
            page.follows("structure")
        for one in examinations:
            if isinstance(one, Weighing):
                page.parameters(one)
                judge_structure(page, one, self.kata.promised)
                page.dropout(one, self._dropout)
            judge_dtype(page, one)
        for one in examinations:
            if not self.options.any_mask:
                refuse_bool(page, one)
            if one.function.name in self.unmasked:
                self._needs_mask(page, one)
        page.outputs(examinations)
        page.manners(examinations)
        if self.faults is not None:
            # The pretended GPU does not follow what autograd does.
            faults = [] if page.blames("autograd-used") else self.faults
            moved = [one for one in examinations if not one.function.models]
            judge_device(page, faults, self.on_device(page, DirectAgain(moved)))
        page.finish()
        flow = self._flow(page, examinations)
        proving = Proving(page, examinations, self.source, flow, self._run)
        # The verdict stands, named or not, where the time for it runs out on either side.
        with suppress(Ended, budget.Spent), budget.limited(_NAMING):
            for one in examinations if self.options.diagnose else ():
                self._diagnose(page, one, proving)
        for one in examinations:
            page.kept(one)
            if isinstance(one, Weighing) and (flow is None or not flow.read):
                page.unread(one)
        if self.options.diagnose:
            proving.finish()
        for part in self.report.functions:
            page.decide(part, judged={one.function.name for one in examinations})

    def _run(self, text: str) -> Candidate:
        self.candidate = self.afresh(text)
        return self.candidate

    def _needs_mask(self, page: Page, one: Examination) -> None:
        assert one.bound is not None
        assert one.function.mask is not None
        finding, mask = self.unmasked[one.function.name], one.function.mask.name
        call = "forward" if isinstance(one, Weighing) else f"`{one.entry.name}`"
        name = one.bound.named.get(mask, mask)
        if one.bound.needed and finding.fault is not None:
            page.remark("mask-without-default", page.lines.argument(name), "mask-always-needed",
                        name=name)  # fmt: skip
        else:
            own = function_at(self.source, one.entry.line)
            page.needs_mask(name, call, finding.kind, finding.fault, own)

    def _diagnose(self, page: Page, one: Examination, proving: Proving) -> None:
        if page.uncarried(one) or not calls_for_a_name(page, one) or rewrites(page, one):
            return
        if keeps(self.source, one):
            self.candidate = self.afresh("")
            if right_alone(one, self.examinations, self.candidate):
                page.kept(one)
                return
        told = self._told_below(one)
        named = name_mistakes(page, one, tuple(told.values()), proving.alone)
        self.told[one.entry.name] = told | {each.slip.id: each.edit for each in named}
        page.name(shares(page, one, at_home(one, named, told, self.examinations, self.source)))
        if named and isinstance(one, Weighing) and one.found.state is None:
            beneath(page, one, named[0].edits, self._dropout)
        if not (named or told or page.told_of(one) or one.found.state == "fail-state"):
            if not proving.without_backward(one):
                guess(page, one)
        elif not named:
            beside_device(page, one)

    @property
    def _dropout(self) -> str:
        """What the kata says of dropout, as a contract does."""
        return self.kata.promised.dropout if self.kata.promised else "optional"

    def _told_below(self, one: Examination) -> dict[str, Edit]:
        """The mistakes that were named in a function that this one calls."""
        own = function_at(self.source, one.entry.line)
        used = {node.id for node in ast.walk(own or ast.Pass()) if isinstance(node, ast.Name)}
        return {
            mistake: edit
            for name in used & {*self.told} for mistake, edit in self.told[name].items()
        }  # fmt: skip

    def _flow(self, page: Page, examinations: list[Examination]) -> Flow | None:
        """Show one call: one that goes wrong, of the first function that is wrong; no kernel's."""
        wrong = self.report.verdict == "fail"
        bad = [one for one in examinations if one.function.name in page.wrong]
        one = (bad or examinations)[0]
        flow = None if self.kata.kernels else self._followed(one)
        if flow is not None:
            # What a call that raised did not come to is no departure.
            departs = wrong and flow.trial.wrong and flow.trial.answer.fault is None
            self.report.departure = flow.departure() if departs else None
            self.report.trace = flow.steps(page.sizes, told=self.report.departure is not None)
            self.report.traced = self._case(one, flow)
        if self.options.heat:
            weighing = next((each for each in examinations if weighs(each.right)), None)
            if weighing is not None and weighing is not one:
                one, flow = weighing, self._followed(weighing)
            self.report.heat = flow.heat(self._case(one, flow)) if weighing and flow else None
        return flow

    def _followed(self, one: Examination) -> Flow | None:
        """Follow one call of a function: a wrong one if there is, and one whose axes are told."""
        wrong = [trial for trial in one.seen if trial.wrong]
        pool = wrong or [trial for trial in one.seen if not trial.group][::-1]
        shown = min(pool, key=lambda trial: doubts(trial, one.sizes), default=None)
        return shown and follow(self.kata, one.right, shown)

    def _case(self, one: Examination, flow: Flow) -> Said:
        label = flow.trial.case.label(one.function, one.sizes)
        if len(self.kata.asked.functions) == 1:
            return label
        return say("direct-of", name=one.function.name, text=label)

    # -- what there is --------------------------------------------------------------------

    def _class(self, classes: list[Entry]) -> dict[str, Entry]:
        """The class that is meant, under the name that the kata has for it."""
        function = self.kata.asked.functions[0]
        entry = self._chosen(function, classes)
        if entry is not None and entry.arguments is None:
            self.report.object = entry.name
            raise self.refuse.no_forward(entry)
        return {} if entry is None else {function.name: entry}

    def _chosen(self, function: Function, classes: list[Entry]) -> Entry | None:
        wanted, mentions = self.options.class_name, self.source.mentions
        if self.kata.promised is None:
            return chosen(function, classes, wanted, mentions)
        choice = choose(self.kata, classes, wanted, mentions)
        if choice.chosen is not None and wanted is None:
            known = self.source.classes
            self.report.also = [
                Other(name=one.name, line=known[one.name].lineno)
                for one in choice.candidates if one.name in known
            ]  # fmt: skip
        return choice.chosen
