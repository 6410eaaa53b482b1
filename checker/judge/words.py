"""A finding in words: its case, what came and what was asked for."""

from __future__ import annotations

from typing import Any

from ...kata.sizes import Sizes
from ..diagnose.crashes import no_tensor, raised
from ..process.wire import dtype_name
from ..report.message import Message, say
from .finding import Finding
from .source import Source

__all__ = ["Words"]


class Words:
    """Tells of findings. sizes: the kata's, with the names of axes."""

    def __init__(self, sizes: Sizes, source: Source) -> None:
        self.sizes = sizes
        self.source = source

    def label(self, finding: Finding[Any]) -> Message:
        """A finding's case in words."""
        trial = finding.trial
        return trial.case.label(trial.function, self.sizes)

    def dtype(self, finding: Finding[Any]) -> Message:
        """Which dtype a result has, and which is asked for."""
        asked = next(one for one in finding.trial.function.results if one.name == finding.name)
        told = {"name": asked.name, "actual": finding.words}
        if asked.dtype_of:
            wanted = dtype_name(finding.trial.dtype)
            return say("direct-dtype-of", wanted=wanted, source=asked.dtype_of, **told)
        return say("direct-dtype-kind", wanted=say(f"direct-{asked.holds}"), **told)

    def text(self, finding: Finding[Any]) -> Message:
        """What a finding says, with its case."""
        case = self.label(finding)
        fault = finding.fault
        if fault is not None:
            return raised(fault, case)
        asked = finding.trial.function
        if finding.kind == "none":
            return no_tensor(asked.name, finding.words)
        if finding.kind == "uncarried":
            asked_for = ", ".join([*(one.name for one in asked.results), finding.name])
            return say("direct-uncarried", case=case, name=finding.name, wanted=asked_for)
        if finding.kind == "count":
            names = [result.name for result in asked.results]
            expected = finding.trial.expected
            if len(expected) < len(names):
                key = "alone" if finding.words == str(len(expected)) else "not-none"
                return say(f"direct-{key}", case=case, names=names[len(expected) :])
            return say("direct-count", case=case, count=finding.words,
                            wanted=len(asked.results), names=names)  # fmt: skip
        if finding.kind == "dtype":
            return say("direct-dtype", case=case, text=self.dtype(finding))
        if finding.kind == "shape" and finding.actual is not None and finding.expected is not None:
            key = "fail-shape" if len(asked.results) == 1 else "direct-shape"
            return say(key, case=case, name=finding.name,
                            actual=str(tuple(finding.actual.shape)),
                            expected=str(tuple(finding.expected.shape)))  # fmt: skip
        if finding.kind == "detached":
            name = finding.name or say("it")
            return say("fail-detached", name=name, case=case)
        if finding.kind == "gradient" and finding.gap is not None:
            return say("fail-gradients", name=finding.name, off=finding.gap.worst, case=case)
        if finding.kind == "missing":
            return say("direct-missing", name=finding.name, cases=1)
        return say("fail-values", failed=1, cases=1, case=case)
