"""The judge: load, bind, align, cases, compare, diagnose, report.

What the other rooms may import is listed here and loaded when it is first asked for; none of it
loads torch. `Bench` has files judged, and a `Report` is what comes back; everything else runs in
the judge's process or in the candidate's.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .client import Bench, Died, Options, Underway, begin_ahead, lost
    from .judge.source import Source, Unreadable, cell_rows, read
    from .process.lasting import KEEP, standing, stop
    from .process.launch import begin
    from .report.findings import Finding, findings
    from .report.ids import CHECK_IDS, MISTAKE_IDS, REMARK_IDS
    from .report.message import Message, Said, said, say
    from .report.report import (
        Check,
        Crash,
        Departure,
        Diagnosis,
        Difference,
        Fault,
        Heat,
        Mended,
        Mending,
        Part,
        Report,
        Step,
    )
    from .report.timings import SIDES, Against, Row, Timings

__all__ = [
    "CHECK_IDS", "KEEP", "MISTAKE_IDS", "REMARK_IDS", "SIDES", "Against", "Bench", "Check",
    "Crash", "Departure", "Diagnosis", "Died", "Difference", "Fault", "Finding", "Heat",
    "Mended", "Mending", "Message", "Options", "Part", "Report", "Row", "Said", "Source", "Step",
    "Timings", "Underway", "Unreadable", "begin", "begin_ahead", "cell_rows", "findings", "lost",
    "read", "said", "say", "standing", "stop",
]  # fmt: skip

_HOMES = {
    "client": "Bench Died Options Underway begin_ahead lost",
    "judge.source": "Source Unreadable cell_rows read",
    "process.lasting": "KEEP standing stop",
    "process.launch": "begin",
    "report.findings": "Finding findings",
    "report.ids": "CHECK_IDS MISTAKE_IDS REMARK_IDS",
    "report.message": "Message Said said say",
    "report.report": (
        "Check Crash Departure Diagnosis Difference Fault Heat Mended Mending Part Report Step"
    ),
    "report.timings": "SIDES Against Row Timings",
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names.split()}


def __getattr__(name: str) -> object:
    """Import a name from where it is at home when it is first asked for."""
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_HOME_OF[name]}", __name__), name)
