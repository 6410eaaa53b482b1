"""Why a file cannot be judged: it does not load, has no such class, or cannot be called."""

from __future__ import annotations

import re

from ..diagnose.crashes import because, placed, reason_of
from ..diagnose.names import meant
from ..diagnose.selves import about_self
from ..process.answers import Raised
from ..report.message import Message, Said, say
from ..report.report import Diagnosis, Fault, Part
from .source import Source

__all__ = ["Unjudged", "known", "load_fault", "slipped"]


class Unjudged(Exception):
    """The file cannot be judged; the report says why."""

    def __init__(
        self,
        kind: str,
        message: Said,
        line: int | None = None,
        help: Said = "",  # noqa: A002
    ) -> None:
        super().__init__(message)
        self.fault = Fault(kind=kind, message=message, line=line, help=help)
        self.diagnosis: list[Diagnosis] = []
        self.functions: list[Part] = []


def load_fault(fault: Raised, source: Source) -> Unjudged:
    """The file raised while it was loaded."""
    line, reason = fault.line, reason_of(fault)
    missing = re.match(r"No module named '([^']+)'", reason)
    if missing and "ImportError" in fault.kinds:
        message = say("load-import", kind=fault.type, name=missing[1], **placed(line))
        return Unjudged("load", message, line)
    slip = slipped(fault, source)
    if slip is not None:
        return Unjudged("load", slip, line)
    message = say("load-raised", kind=fault.type, reason=reason, **placed(line))
    more = because(fault, source) or say("load-keep")
    return Unjudged("load", message, line, more)


def slipped(fault: Raised, source: Source) -> Message | None:
    """What to say of a name that was misspelt, where an exception comes of one."""
    reason, line = reason_of(fault), fault.line
    if about_self(fault, source) is not None:
        return None
    intended = meant(reason, source, line)
    if intended is None:
        return None
    return say("load-misspelt", kind=fault.type, reason=reason, meant=intended, **placed(line))


def known(mistake: str, line: int | None, source: Source) -> Diagnosis:
    """The mistake behind an exception, whose own words are told already."""
    message = say("dtype-fixed" if mistake == "dtype-hardcoded" else mistake)
    yours = source.line(line).strip() or None
    return Diagnosis(mistake=mistake, line=line, message=message, yours=yours)
