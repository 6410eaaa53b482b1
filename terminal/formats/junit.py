"""JUnit's XML, which CI shows as tests: one case a file and kata."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby
from xml.etree import ElementTree as ET

from ...checker import Report, findings
from ..text import safe
from .places import line_of, message_of

__all__ = ["junit_text"]


def junit_text(
    reports: Sequence[Report],
    language: str,
    drawn: Callable[[Report], str],
    unjudged: Sequence[tuple[str, str, str]] = (),
) -> str:
    """Write one document. drawn: a report as a screen shows it, without colour.

    unjudged: what there is no report of, by its name, the problem's and a sentence.
    """
    root = ET.Element("testsuites", _counts(reports, "attn-kata", len(unjudged)))
    ordered = sorted(reports, key=lambda report: report.kata)
    for kata, of_kata in groupby(ordered, key=lambda report: report.kata):
        group = list(of_kata)
        suite = ET.SubElement(root, "testsuite", _counts(group, kata))
        for report in group:
            _case(suite, report, language, drawn)
    if unjudged:
        suite = ET.SubElement(root, "testsuite", _counts([], "attn-kata", len(unjudged)))
        for name, problem, told in unjudged:
            case = ET.SubElement(suite, "testcase", {"classname": "", "name": safe(name)})
            ET.SubElement(case, "error", {"type": problem, "message": safe(told)})
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode")


def _counts(reports: Sequence[Report], name: str, more: int = 0) -> dict[str, str]:
    verdicts = [report.verdict for report in reports]
    seconds = sum(report.elapsed_ms for report in reports) / 1000
    return {
        "name": name,
        "tests": str(len(reports) + more),
        "failures": str(verdicts.count("fail")),
        "errors": str(verdicts.count("error") + more),
        "time": f"{seconds:.3f}",
    }


def _case(suite: ET.Element, report: Report, language: str, drawn: Callable[[Report], str]) -> None:
    named = {
        "classname": report.kata,
        "name": safe(report.file),
        "file": safe(report.file),
        "time": f"{report.elapsed_ms / 1000:.3f}",
    }
    case = ET.SubElement(suite, "testcase", named)
    if report.verdict == "pass":
        return
    first = findings(report)[0]
    line = line_of(report, first)
    if line:
        case.set("line", str(line))
    kind = "failure" if report.verdict == "fail" else "error"
    told = safe(message_of(report, first, language).partition("\n")[0])
    fault = ET.SubElement(case, kind, {"type": first.id, "message": told})
    # What XML has no way to write is spelt out.
    fault.text = "\n".join(map(safe, drawn(report).split("\n")))
