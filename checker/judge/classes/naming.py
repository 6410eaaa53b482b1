"""How mistakes are said: those that reproduce the numbers, those beneath them, and the rest."""

from __future__ import annotations

from collections.abc import Iterable

from ....kata.catalogue import Kata
from ...diagnose.classes.beneath import Beneath
from ...diagnose.classes.diagnosis import Named
from ...diagnose.classes.evidence import patterns
from ...diagnose.classes.mixing import mixed
from ...diagnose.origins import Origins
from ...report.report import Diagnosis, Report
from ...vocabulary import layer_role
from ..sheet import Sheet
from ..source import Source
from .behaviour import Trace
from .dropout_trial import says_output
from .examine import Examination
from .truth import Roles

__all__ = ["Blame"]

_ROLE_NAMES = {"q": "query", "k": "key", "v": "value", "o": "output"}


class Blame(Sheet):
    """The diagnosis of one report."""

    def __init__(self, report: Report, kata: Kata, source: Source, language: str) -> None:
        super().__init__(report, source, language)
        self.kata = kata
        self.origins = Origins(source, report.object or "")

    def names_hold(self, roles: Roles, seen: Trace) -> None:
        """A layer whose name plainly says what it makes has to make that."""
        does: dict[str, set[str]] = {}
        for role in ("q", "k", "v", "o"):
            for name in roles.parameters_of(role):
                does.setdefault(name, set()).add(role)
        for name, found in does.items():
            said = layer_role(name)
            if said == "o" and found == {"v"}:
                # An output layer after values that no layer made: the same numbers as a value
                # layer without an output layer, and not what its name says.
                layer = name.rpartition(".")[0] or name
                self.set("parameters", "fail", self.say("value-not-projected", name=layer))
                self.blame("value-not-projected", self.lines.use(layer), name=layer)
            if said in {"q", "k", "v"} and len(found) == 1 and said not in found:
                role = found.pop()
                layer = name.rpartition(".")[0] or name
                values = {"name": layer, "said": _ROLE_NAMES[said], "does": _ROLE_NAMES[role]}
                message = self.say("query-key-swapped", **values)
                self.set("parameters", "fail", message)
                if not self.blames("query-key-swapped"):
                    line = self._swapped_line(name, seen) or self.lines.use(layer)
                    self.blame("query-key-swapped", line, "query-key-swapped", **values)

    def _swapped_line(self, weight: str, seen: Trace) -> int | None:
        """Where a layer's result gets another role's name, else where the product is taken."""
        uses = [s for s in seen.steps if weight in s["weights"] and s["lines"]]
        misnamed = self.origins.misnamed(uses, weight)
        if misnamed is not None:
            return misnamed["line"]
        products = {"matmul", "bmm", "einsum", "__matmul__", "baddbmm"}
        own = [s for s in seen.steps if s["call"] in products and not s["weights"] and s["lines"]]
        return own[0]["line"] if own else None

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
                matches=one.matches,
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
        mixes, line = (False, None) if examination.late else mixed(examination)
        if mixes:
            self.blame("batch-mixed", line)
            return
        leaving = self.report.departure
        step = leaving.line if leaving is not None else None
        for mistake, line in patterns(
            examination, self.source, self.report.object or "", seen.steps
        ):
            if not self.blames(mistake):
                self.blame(
                    mistake, line or step, names=self.say("its-weights"), name=self.say("it")
                )
