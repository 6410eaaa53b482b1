"""`check` as Python has it: a report that shows itself, of a path, a source text or a class."""

from __future__ import annotations

import os
from dataclasses import fields
from pathlib import Path
from typing import Any

from ..checker import Bench, Options, Report
from ..kata.catalogue import find
from ..sentences.wording import worded
from .written import Written, written

__all__ = ["Judged", "check", "judge", "language_of_user"]


class Judged(Report):
    """A report that shows itself: `print` it, or leave it at the end of a notebook's cell.

    Its messages are words. data: the same in no language. language: en or zh. code: the lines that
    were judged, to be quoted.
    """

    __slots__ = ("code", "data", "language")

    data: Report
    language: str
    code: list[str]

    @classmethod
    def of(cls, report: Report, language: str, code: list[str]) -> Judged:
        """Make one of a plain report."""
        told = worded(report, language)
        made = cls(**{field.name: getattr(told, field.name) for field in fields(told)})
        made.data, made.language, made.code = report, language, code
        return made

    def __str__(self) -> str:
        """The screen that the command line would show, without colour."""
        from ..terminal.shown import text_of

        return text_of(self.data, self.code, self.language)

    def __rich__(self) -> Any:
        """The same for rich, in colour."""
        from ..terminal.shown import rich_of

        return rich_of(self.data, self.code, self.language)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:  # noqa: ARG002, FBT001
        printer.text(str(self))

    def _repr_html_(self) -> str:
        from ..terminal.shown import html_of

        return html_of(self.data, self.code, self.language)


def check(
    kata: str,
    what: str | Path | object,
    *,
    class_name: str | None = None,
    mask: str = "keep",
    device: str = "auto",
    seed: int | None = None,
    language: str | None = None,
    timeout: float = 20.0,
    memory: int = 0,
    heat: bool = False,
    diagnose: bool = True,
) -> Judged:
    """Judge one submission and return its report.

    what: a path, a source text (of several lines), or a class or function. Of one that was
    defined in a notebook, or in the script that is running, all that it needs is judged with it.
    class_name: which class is meant. mask: keep (1 = may attend), drop or additive. device: auto,
    cpu, cuda, cuda:1, xpu, mps. seed: repeats the inputs of another report. language: en or zh, by
    default the one of the command line. timeout: seconds. memory: bytes, 0 for half of the
    machine's. heat: whether to keep the attention weights. diagnose: whether to name mistakes.
    Raises UnknownKata, and TypeError or LookupError for what has no source.
    """
    with written(what) as found:
        options = Options(
            class_name=class_name or found.chosen, mask=mask, device=device, seed=seed,
            timeout=timeout, memory=memory, heat=heat, diagnose=diagnose,
            beside=str(found.beside or ""),
        )  # fmt: skip
        return judge(kata, found, options, language or language_of_user())


def judge(kata: str, found: Written, options: Options, language: str) -> Judged:
    """Judge what there is as a file."""
    from ..terminal.source import lines_of

    asked = find(kata).id
    with Bench() as bench:
        report = next(bench.judge(asked, [found.file], options))
    report.file = found.called
    return Judged.of(report, language, lines_of(found.file))


def language_of_user() -> str:
    """Return the language that the command line would speak."""
    from ..practice.settings import Settings
    from ..terminal.language import choose

    return choose((), os.environ, "utf-8", Settings().get("lang")).code
