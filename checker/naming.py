"""How mistakes are said: those that reproduce the numbers, those beneath them, and the rest."""

from __future__ import annotations

from collections.abc import Iterable

from ..kata.catalogue import Kata
from .behaviour import Trace, says_output
from .beneath import Beneath
from .diagnose import Named
from .evidence import patterns
from .examine import Examination
from .mixing import mixed
from .origins import Origins
from .report import Diagnosis, Report
from .sheet import Sheet
from .source import Source

__all__ = ["Blame"]


class Blame(Sheet):
    """The diagnosis of one report."""

    def __init__(self, report: Report, kata: Kata, source: Source, language: str) -> None:
        super().__init__(report, source, language)
        self.kata = kata
        self.origins = Origins(source, report.object or "")

    def name(self, found: list[Named]) -> None:
        """Put the mistakes that reproduce the numbers first."""
        for one in found:
            if one.mistake.id == "causal-inverted":
                one.line = self.lines.triangle(one.mistake.id) or one.line
        named = [
            Diagnosis(
                mistake=one.mistake.id,
                line=one.line,
                message=one.mistake.words[self.language],
                reference=one.reference,
                yours=self.source.line(one.line).strip() or None,
            )
            for one in found
        ]
        own = {one.mistake for one in named}
        rest = [d for d in self.report.diagnosis if d.mistake not in own]
        self.report.diagnosis = named + rest

    def further(self, found: Iterable[Beneath]) -> None:
        """Mistakes beside those that were named: the check of each fails too."""
        for one in found:
            line = one.line
            if one.mistake == "dropout-rate-wrong" and one.layer:
                line = self.lines.assignment(one.layer.split(".")[-1]) or line
            if one.mistake == "dropout-on-output":
                if says_output(one.layer) and self.kata.contract.dropout != "required":
                    continue
                one.values["where"] = self.say("place-output")
            self.blame(one.mistake, line, **one.values)

    def guess(self, examination: Examination, seen: Trace) -> None:
        """Where no edited reference fits: what the failing cases and the source give away."""
        mixes, line = mixed(examination)
        if mixes:
            self.blame("batch-mixed", line)
            return
        for mistake, line in patterns(
            examination, self.source, self.report.object or "", seen.steps
        ):
            if not any(d.mistake == mistake for d in self.report.diagnosis):
                self.blame(mistake, line, names=self.say("its-weights"), name=self.say("it"))
