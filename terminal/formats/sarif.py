"""SARIF 2.1.0, which code scanning and editors read: one log for all reports of a call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ...checker import Finding, Report, findings
from ...sentences.cells import cell_of
from .places import line_of, message_of, path_from

__all__ = ["sarif_log"]

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def sarif_log(
    reports: Sequence[Report], language: str, version: str, page: Callable[[str], str | None]
) -> dict[str, Any]:
    """Return the log as JSON takes it. page: a mistake's page by its name, in Markdown."""
    found = [(report, finding) for report in reports for finding in findings(report)]
    names = list(dict.fromkeys(finding.id for _, finding in found))
    driver = {
        "name": "attn-kata",
        "semanticVersion": version,
        "language": {"en": "en-US", "zh": "zh-CN"}[language],
        "rules": [_rule(name, page(name)) for name in names],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {"SRCROOT": {"uri": f"{Path.cwd().as_uri()}/"}},
        "results": [
            _result(report, finding, names.index(finding.id), language) for report, finding in found
        ],
    }
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(name: str, page: str | None) -> dict[str, Any]:
    rule: dict[str, Any] = {"id": name}
    if page is not None:
        rule["help"] = {"text": page, "markdown": page}
    return rule


def _result(report: Report, finding: Finding, rule: int, language: str) -> dict[str, Any]:
    path = path_from(Path(), report.file)
    if Path(path).is_absolute():
        artifact = {"uri": Path(path).as_uri()}
    else:
        artifact = {"uri": quote(path), "uriBaseId": "SRCROOT"}
    place: dict[str, Any] = {"physicalLocation": {"artifactLocation": artifact}}
    line = line_of(report, finding)
    if line:
        place["physicalLocation"]["region"] = {"startLine": line}
    cell = cell_of(finding.line, report.cells) if finding.line else None
    if cell is not None:
        place["logicalLocations"] = [{"name": f"code cell {cell[0]}", "kind": "module"}]
    return {
        "ruleId": finding.id,
        "ruleIndex": rule,
        "level": finding.level,
        "message": {"text": message_of(report, finding, language)},
        "locations": [place],
        "properties": {"kata": report.kata, "seed": report.seed},
    }
