"""Why functions, or a class with weights, cannot be judged: each reason with its line and cure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...kata.catalogue import Kata
from ...kata.functions import Function
from ..diagnose.allocated import like_query
from ..diagnose.crashes import because, by_shapes, by_words, no_tensor, placed, reason_of
from ..diagnose.diagnose import raising
from ..diagnose.kinds import first, turned
from ..diagnose.names import misspelt_method
from ..diagnose.origins import Origins
from ..diagnose.places import Places
from ..diagnose.readings import Readings
from ..diagnose.selves import taken_for_input
from ..diagnose.statements import statement
from ..process.answers import Entry, Raised
from ..process.requests import Config, Device, Dtype, ObjectRecipe, Worth
from ..report.message import Said, say
from ..report.report import Diagnosis, Part
from .examine import Examination
from .fewer_axes import axes_taken
from .fills import narrowing
from .find import handed_over, unasked
from .objects import LONGEST
from .source import Source
from .trials import Finding
from .unjudged import known, slipped
from .weighing import Weighing
from .written import function_at

__all__ = ["Refusals", "Refused"]


class Refused(Exception):
    """The functions cannot be judged. kind, message and help as in the report's error.

    diagnosis: the mistake behind it, where the exception tells it.
    """

    def __init__(
        self, kind: str, message: Said, line: int | None = None,
        diagnosis: list[Diagnosis] | None = None, help: Said = "",  # noqa: A002 - the report's word
    ) -> None:  # fmt: skip
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.line = line
        self.diagnosis = diagnosis or []
        self.help = help


class Refusals:
    """Says why a file cannot be judged. wanted: the class or function that `--class` names."""

    def __init__(self, kata: Kata, source: Source, wanted: str | None) -> None:
        self.kata, self.source, self.wanted = kata, source, wanted

    def no_class(self, classes: list[Entry], functions: list[Entry]) -> Refused:
        """No class of the file is the one that is asked for."""
        wanted = self.kata.asked.functions[0].name
        told = [f"{one.name} ({self._line_of(one)})" for one in classes]
        if self.wanted is not None:
            name = self.wanted
            return Refused("no-class", say("no-class-named", name=name, found=told or "-"))
        if classes:
            return Refused("no-class", say("class-unclear", found=told))
        if functions:
            told = [f"`{one.name}` ({one.line})" for one in functions]
            message = say("class-not-function", wanted=wanted, found=told)
            return Refused("no-class", message, functions[0].line)
        return Refused("no-class", say("no-class", kata=self.kata.id, wanted=wanted))

    def _line_of(self, one: Entry) -> int | None:
        """Where a class stands; its process knows where the code of its methods begins."""
        own = self.source.classes.get(one.name)
        return one.line if own is None else own.lineno

    def not_there(
        self, entries: list[Entry], classes: list[Entry],
        missing: Sequence[Function] = (),
    ) -> Refused:  # fmt: skip
        """Say what is asked for and what there is. missing: what is, where not all of it is."""
        asked = missing or self.kata.asked.functions
        wanted = [f"`{one.signature}`" for one in asked]
        if entries:
            told = [f"`{one.name}` ({one.line})" for one in entries]
            key = "functions-missing" if missing else "no-function"
            return Refused("no-class", say(key, wanted=wanted, found=told))
        if classes:
            told = [f"`{one.name}` ({self._line_of(one)})" for one in classes]
            return Refused("no-class", say("no-function-class", wanted=wanted, found=told))
        return Refused("no-class", say("no-function-at-all", wanted=wanted))

    def lacks(self, one: Examination, fault: Raised) -> bool:
        """Whether a call did not get as far as the function, for want of an argument."""
        short = "required positional argument" in fault.message and fault.line is None
        return short and bool(unasked(one.function, one.entry))

    def signature(self, one: Examination) -> Refused:
        """The call that the kata makes is not one that this takes."""
        line = one.entry.line
        called = one.function.call("forward" if isinstance(one, Weighing) else "")
        more = unasked(one.function, one.entry)
        handed = {handed_over(own) for own in more} - {None}
        key = "direct-signature"
        if handed & {"tables", "position"}:
            key += "-cache" if one.function.state is not None else "-tables"
        elif "pass" in handed:
            key += "-pass"
        message = say(
            key, wanted=f"`{called}`", name=one.entry.name,
            line=line, more=[f"`{own}`" for own in more],
        )  # fmt: skip
        return Refused("forward", message, line)

    def unrun(self, one: Examination, finding: Finding) -> Refused:
        """What the plainest call raised, or that it gave no tensor."""
        fault = finding.fault
        name = one.entry.name
        if fault is None:
            called = "forward" if isinstance(one, Weighing) else name
            own = self.source.classes.get(name)
            node = taken_for_input(own) if own is not None and finding.words == name else None
            if node is not None:
                message = say("self-def", name=called, line=node.lineno)
                return Refused("forward", message, node.lineno)
            message = no_tensor(called, finding.words)
            return Refused("forward", message, one.entry.line)
        misspelt = self._misspelt(name, fault.phase)
        if misspelt is not None:
            return misspelt
        axes = axes_taken(one)
        if axes is not None:
            message = say({3: "axes-three", 2: "axes-two"}[axes], name=name)
            return Refused("forward", message, fault.line)
        line, slip = fault.line, slipped(fault, self.source)
        if slip is not None:
            return Refused("forward", slip, line)
        told: dict[str, Any] = {"kind": fault.type, "reason": reason_of(fault)}
        told |= placed(line)
        recipe = one.recipe if fault.phase == "construct" else None
        if isinstance(recipe, ObjectRecipe):
            made = ", ".join(f"{n}={_plain(v)}" for n, v in recipe.kwargs.items())
            message = say("construct-raised", name=name, given=made or "…", **told)
            help = because(fault, self.source)  # noqa: A001 - the report's word
            return Refused("construct", message, line, help=help)
        call = f"{'forward' if isinstance(one, Weighing) else name}({_given(one, finding)})"
        named = self._behind(one, finding, fault)
        lacking = [] if named else self._lacking(one)
        help = (  # noqa: A001 - the report's word
            say("constructor-lacks", wanted=f"`{one.function.signature}`",
                more=[f"`{own}`" for own in lacking])
            if lacking else because(fault, self.source, cause=not named)
        )  # fmt: skip
        return Refused("forward", say("direct-raised", call=call, **told), line, named, help)

    def _lacking(self, one: Examination) -> list[str]:
        """The sizes that the kata sets and the constructor of a class of the ladder leaves out."""
        if not isinstance(one, Weighing) or one.construction is None:
            return []
        return [] if self.kata.promised is not None else one.construction.lacking

    def unwritten(self, part: Part) -> Refused:
        """Nothing of what is asked for is written yet."""
        key = "unwritten" if "NotImplementedError" in self.source.line(part.line) else "hollow"
        return Refused("forward", say(key, line=part.line, name=part.name), part.line)

    def waits_for(self, entry: Entry, line: int) -> Said:
        """What a function calls that is not written yet; nothing where it says so of itself."""
        other = function_at(self.source, line)
        if other is None or other is function_at(self.source, entry.line):
            return ""
        return say("waits-for", name=other.name)

    def no_forward(self, entry: Entry) -> Refused:
        """Say that a class has no forward, or which method was meant to be it."""
        plain = Refused("forward", say("forward-missing", name=entry.name), entry.line)
        return self._misspelt(entry.name, "forward") or plain

    def _misspelt(self, name: str, phase: str) -> Refused | None:
        found = misspelt_method(self.source, name)
        if found is None:
            return None
        line, method, meant = found
        letters = "letters" if meant.strip("_") != method.strip("_") else "init"
        key = f"{'forward' if meant == 'forward' else letters}-misspelt"
        return Refused(phase, say(key, line=line, name=method, meant=meant), line)

    def _behind(self, one: Examination, finding: Finding, fault: Raised) -> list[Diagnosis]:
        """The mistake that an exception gives away, by its words or by the model answer's own."""
        line, told = fault.line, by_words(fault)
        slip = None if told else raising(
            self.kata, one.function.name, finding.trial, fault.message, one.numbers, one.again
        )  # fmt: skip
        if slip is None:
            told = told or by_shapes(fault, self.kata, finding.trial, LONGEST)
            if told == "length-fixed" and line is not None:
                line = Origins(self.source, one.entry.name).size([line]) or line
            elif told == "dtype-hardcoded":
                line = narrowing(one, finding.trial) or line
            elif told is None:
                readings = Readings(self.source, one.entry.name)
                made = like_query(readings, one.function, finding.trial.case, fault)
                told, line = ("output-like-query", made) if made is not None else (None, line)
            return [known(told, line, self.source)] if told is not None else []
        if slip.says and line is not None:
            # What raises may be far from what was left out, or given.
            places = Places(self.source, one.entry.name)
            functions = places.around({line})
            line = statement([*functions, *places.helping(functions)], slip.says) or line
        if slip.group == "index" and line is not None:
            line = Readings(self.source, one.entry.name).index([line]) or line
        if slip.group == "turned" and line is not None:
            # What raises leaves no step; the mask was laid before.
            laid = first(one.again(finding.trial).answer.steps, turned)
            line = line if laid is None else laid.line
        text = say("slip", kata=self.kata.id, id=slip.id)
        yours = self.source.line(line).strip() or None
        return [Diagnosis(mistake=slip.id, line=line, message=text, yours=yours)]


def _given(one: Examination, finding: Finding) -> str:
    """The parameters that a call gave something to, in the order in which they are declared."""
    call, declared = finding.trial.call, one.entry.arguments
    placed = one.bound.placed if one.bound is not None else ()
    if declared is None:
        names = [*placed[: len(call.args)], *call.kwargs]
    else:
        alone = [p.name for p in declared if p.kind.startswith("POSITIONAL")]
        given = {*alone[: len(call.args)], *call.kwargs}
        names = [p.name for p in declared if p.name in given]
    return ", ".join(names) or "…"


def _plain(value: Config | Worth) -> str:
    return "…" if isinstance(value, (Config, Device, Dtype)) else str(value)
