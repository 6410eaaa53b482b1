"""Prove pairs of a right file and a wrong line with the judge, and write down what is proved."""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from ...checker import MISTAKE_IDS, Bench, Options, Report
from ...kata.catalogue import Kata
from ...kata.slips import slips
from ...practice.debug.bugs import PROVED, Bug, folder, host, hosts
from ...practice.debug.symptoms import level_of
from .operators import changes
from .source import Change

__all__ = ["OPTIONS", "Proof", "candidates", "judged", "named", "proved", "proved_text", "write"]

# The same inputs each time, and no GPU: what is proved here is handed out anywhere.
OPTIONS = Options(seed=11, device="cpu", timeout=60)
# What is too large is said besides.
_BESIDES = {"tensor-too-large", "state-too-large"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """What became of one kata's pairs. wrong_hosts: right files that the judge turns down."""

    kata: Kata
    bugs: tuple[Bug, ...]
    tried: int
    wrong_hosts: tuple[str, ...]


def candidates(kata: Kata, name: str, limit: int | None) -> list[Change]:
    """Return the changes of a right file that are tried, each operator's in turn."""
    known = frozenset(MISTAKE_IDS) | {slip.id for slip in slips(kata.folder)}
    by_operator: dict[str, list[Change]] = defaultdict(list)
    for change in changes(host(kata, name), known):
        by_operator[change.operator].append(change)
    draw = Random(name)  # noqa: S311 - the same choice each time
    for some in by_operator.values():
        draw.shuffle(some)
    found: list[Change] = []
    while any(by_operator.values()) and (limit is None or len(found) < limit):
        found += [some.pop() for some in by_operator.values() if some]
    return found[:limit]


def proved(kata: Kata, bench: Bench, limit: int | None) -> Proof:
    """Judge a kata's right files and what is planted in them."""
    found: list[Bug] = []
    tried, wrong = 0, list[str]()
    for name in hosts(kata):
        text = host(kata, name)
        if next(judged(kata, [text], bench)).verdict != "pass":
            wrong.append(name)
            continue
        some = candidates(kata, name, limit)
        tried += len(some)
        reports = judged(kata, [_planted(text, change) for change in some], bench)
        for change, report in zip(some, reports, strict=True):
            mistake = named(report, change.line)
            if mistake in change.mistakes:
                found.append(
                    Bug(
                        host=name, line=change.line, mistake=mistake,
                        level=level_of(report), wrong=change.wrong,
                    )
                )  # fmt: skip
    found.sort(key=lambda bug: (bug.host, bug.line, bug.mistake, bug.wrong))
    return Proof(kata=kata, bugs=tuple(found), tried=tried, wrong_hosts=tuple(wrong))


def judged(kata: Kata, texts: Sequence[str], bench: Bench) -> Iterator[Report]:
    """Yield the reports on texts, in their order."""
    with tempfile.TemporaryDirectory(prefix="attn-kata-") as place:
        files = [Path(place) / f"host_{number}.py" for number in range(len(texts))]
        for file, text in zip(files, texts, strict=True):
            file.write_text(text, "utf-8")
        yield from bench.judge(kata.id, files, OPTIONS)


def named(report: Report, line: int) -> str:
    """Return the only mistake that a report names, where it names it on this line; else nothing."""
    told = {(one.mistake, one.line) for one in report.diagnosis if one.mistake not in _BESIDES}
    if report.verdict == "pass" or len(told) != 1:
        return ""
    mistake, place = next(iter(told))
    return mistake if place == line else ""


def proved_text(bugs: Sequence[Bug]) -> str:
    """Return the file that holds what is proved of a kata."""
    rows = [
        "# Made by `attn-kata dev exercises --write`; practice/debug/bugs.py says what it holds."
    ]
    for bug in bugs:
        rows += [
            "", "[[bug]]", f'host = "{bug.host}"', f"line = {bug.line}",
            f'mistake = "{bug.mistake}"', f'level = "{bug.level}"', f"wrong = {_quoted(bug.wrong)}",
        ]  # fmt: skip
    return "\n".join(rows) + "\n"


def write(proof: Proof) -> Path:
    """Write down what is proved of a kata; return the file."""
    file = folder(proof.kata) / PROVED
    file.write_text(proved_text(proof.bugs), "utf-8")
    return file


def _planted(text: str, change: Change) -> str:
    lines = text.splitlines()
    lines[change.line - 1] = change.wrong
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    if "'" not in text:
        return f"'{text}'"
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
