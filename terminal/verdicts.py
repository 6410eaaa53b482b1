"""Verdicts as they come: a spinner while the judge works, then each report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ..checker import Report, Timings
from ..kata.catalogue import Kata, katas, known
from ..practice.debug.veil import veiled
from ..practice.recognise import header_of
from ..practice.targets import INPUT, Target
from .formats import Format
from .formats.writers import writer
from .lists import next_lines
from .look import Look
from .onward import again, claiming, watching
from .report import command_lines, quiet_line, report_lines, verdict_line
from .screen import Screen
from .source import lines_of
from .text import quoted, safe, wrap, written
from .timings import timings_lines

__all__ = ["Manner", "Verdicts"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Manner:
    """How to show reports.

    form: how reports are written; what is no text is for programs.
    typed: the options that judging again needs; watched: those of them that `watch` takes.
    explained: the names that have a page for `why` to lead to. whole: draw passing ones of
    several in full, and no commands to type.
    timer: times the file that has just passed. quiet: a line a file. checks: as a look has it.
    """

    form: Format = Format.text
    trace: bool = False
    output: bool = False
    heat: bool = False
    timer: Callable[[], Timings] | None = None
    explained: Sequence[str] = ()
    whole: bool = False
    quiet: bool = False
    checks: str = "count"
    typed: Sequence[str] = ()
    watched: Sequence[str] = ()


class Verdicts:
    """Prints reports and counts them."""

    def __init__(self, screen: Screen, chosen: Sequence[Target], manner: Manner) -> None:
        self.screen = screen
        self.chosen = chosen
        self.manner = manner
        self.counts: Counter[str] = Counter()
        self.writer = writer(manner.form, screen, self._plain)

    @property
    def all_pass(self) -> bool:
        """Whether every report so far is a pass."""
        return set(self.counts) <= {"pass"}

    def shown(self, reports: Iterable[Report]) -> Iterator[Report]:
        """Print each report when it comes, and pass it on."""
        if not self._silent and self.chosen[0].guessed:
            target = self.chosen[0]
            values = {"file": safe(target.name), "kata": target.kata.id}
            self.screen.note(self.screen.say("last-judged", **values))
        stream = iter(reports)
        if not self._silent:
            # All of them are read to say what comes next: better now than once it is passed.
            katas()
        for place in range(len(self.chosen)):
            with self.screen.waiting(self._working_on(place)):
                report = next(stream)
            self.counts[report.verdict] += 1
            timed = self.manner.timer is not None and report.verdict == "pass"
            if self.writer is None:
                self._draw(veiled(report), place, open_end=timed)
            if timed:
                self._time(report, place)
            elif self.manner.timer is not None and not self._silent:
                self.screen.note(self.screen.say("bench-first", file=safe(report.file)))
            if self.writer is not None:
                self.writer.add(report)
            if not self._silent:
                self._say_header(self.chosen[place])
            if report.also and not self._silent:
                self._say_others(report)
            yield report

    def end(self, left_out: int = 0) -> None:
        """Sum up, where there were several. left_out: how many were not recorded."""
        if self.writer is not None:
            self.writer.end()
        count = len(self.chosen)
        if left_out and count == 1 and self.counts["pass"] and not self._silent:
            file = safe(self.chosen[0].name)
            key = "not-recorded-input" if file == INPUT else "not-recorded"
            self.screen.note(self.screen.say(key, file=file))
        if count > 1 and not self._silent:
            text = self.screen.say(
                "summary",
                count=count,
                passed=self.counts["pass"],
                failed=self.counts["fail"],
                errors=self.counts["error"],
            )
            self.screen.print([[], *([(row, "bold")] for row in wrap(text, self.screen.width))])

    def _say_others(self, report: Report) -> None:
        """Say which classes fit the kata beside the one that was judged."""
        lines = [self.screen.say("line", line=one.line) for one in report.also]
        pairs = zip(report.also, lines, strict=True)
        names = ", ".join(f"{safe(one.name)} ({line})" for one, line in pairs)
        values = {"file": safe(report.file), "kata": report.kata, "names": names}
        self.screen.note(self.screen.say("class-also", chosen=safe(report.object or ""), **values))

    def _say_header(self, target: Target) -> None:
        """Say that a file was judged as another kata than its first line names."""
        header = known(header_of(target.file) or "")
        if header is not None and header != target.kata:
            values = {"file": safe(target.name), "kata": target.kata.id, "other": header.id}
            self.screen.note(self.screen.say("header-other", **values))

    @property
    def _silent(self) -> bool:
        """Whether the reports alone are wanted."""
        return self.writer is not None or self.manner.quiet

    def open_demo(self, kata: Kata) -> None:
        """Say what the demo does."""
        screen = self.screen
        folder = self.chosen[0].file.parent
        title = wrap(screen.say("demo-title"), screen.width)
        screen.print([*([(row, "bold")] for row in title), []])
        screen.print([[("$ ", "dim"), (f"attn-kata start {kata.id} --dir {folder}", "code")]])
        file = str(folder / f"{kata.id}.py")
        text = screen.say("started", file=file, title=kata.title[screen.language])
        screen.print([*([(row, "")] for row in wrap(text, screen.width)), []])

    def close_demo(self, first: str, *, good: bool) -> None:
        """Say how it went, and whose turn it is."""
        screen = self.screen
        if not good:
            screen.note(screen.say("demo-failed"))
        screen.print([[], [(screen.say("demo-end"), "bold")]])
        screen.print(next_lines((f"attn-kata watch {first}",), screen.language))

    def _working_on(self, place: int) -> str:
        file = safe(self.chosen[place].name)
        count = len(self.chosen)
        if count == 1:
            return self.screen.say("judging", file=file)
        return self.screen.say("judging-many", file=file, place=place + 1, count=count)

    def _time(self, report: Report, place: int) -> None:
        """Time what passed. The verdict has been shown, or is on an interruption."""
        assert self.manner.timer is not None
        try:
            with self.screen.waiting(self.screen.say("bench-timing", file=safe(report.file))):
                report.bench = self.manner.timer()
        except KeyboardInterrupt:
            if self.writer is not None:
                self.writer.add(report)
            raise
        if self.writer is not None:
            return
        lines = timings_lines(report.bench, self.screen.language, self.screen.width)
        commands = [] if len(self.chosen) > 1 else command_lines(report, self._look(report, place))
        self.screen.print([[], *lines, *([[], *commands] if commands else [])])

    def _look(self, report: Report, place: int) -> Look:
        return Look(
            language=self.screen.language,
            width=self.screen.width,
            source=lines_of(self.chosen[place].file),
            output=self.manner.output,
            trace=self.manner.trace,
            heat=self.manner.heat,
            checks="all" if self.manner.whole else self.manner.checks,
            colour=self.screen.colour,
            commands=() if self.manner.whole else self._commands(report),
        )

    def _plain(self, report: Report) -> str:
        """Return a report as a screen of 80 columns shows it, without what to type next."""
        place = next(at for at, one in enumerate(self.chosen) if one.name == report.file)
        look = Look(language=self.screen.language, source=lines_of(self.chosen[place].file))
        return "\n".join(written(line) for line in report_lines(report, look))

    def _draw(self, report: Report, place: int, *, open_end: bool) -> None:
        """Print a report. open_end: what to type comes later, after what follows it."""
        look = self._look(report, place)
        look = replace(look, commands=()) if open_end else look
        if self.manner.quiet:
            self.screen.print([quiet_line(report, self.screen.language)])
        elif self.manner.whole:
            self._draw_whole(report, look, place)
        elif len(self.chosen) > 1 and report.verdict == "pass":
            self.screen.print([verdict_line(report, look)])
        else:
            self.screen.print([*([[]] if place else []), *report_lines(report, look)])

    def _draw_whole(self, report: Report, look: Look, place: int) -> None:
        named = replace(report, file=Path(report.file).name)
        command = f"attn-kata check {named.kata} {named.file}"
        lines = [[("$ ", "dim"), (command, "code")], [], *report_lines(named, look)]
        self.screen.print([*([[], []] if place else []), *lines])

    def _commands(self, report: Report) -> list[tuple[str, str]]:
        say = self.screen.say
        if report.debug is not None:
            answer = f"attn-kata debug --answer {quoted(report.file)}"
            left = (claiming(self.screen.language), "attn-kata debug --hint")
            onward = (*(left if report.verdict != "pass" else ()), answer)
            labels = [say("next-next"), *[""] * len(left)]
            return [
                (label, self.screen.typed(command))
                for label, command in zip(labels, onward, strict=False)
            ]
        named = [diagnosis.mistake for diagnosis in report.diagnosis]
        rows: list[tuple[str, str]] = []
        if report.verdict == "pass":
            following = _following(report.kata)
            command = f"watch {following}" if following else "due"
            rows.append((say("next-next"), f"attn-kata {command}"))
            if self.manner.checks == "count":
                return [(label, self.screen.typed(command)) for label, command in rows]
        elif named and named[0] in self.manner.explained:
            rows.append((say("next-why"), f"attn-kata explain {named[0]}"))
        elif report.error is None or report.error.kind in {"construct", "forward"}:
            rows.append((say("next-hint"), f"attn-kata hint {report.kata}"))
        if report.departure is not None and not named and not self.manner.trace:
            # Where no mistake has a name, its steps say the most.
            steps = again(report, (*self.manner.typed, "--trace"))
            rows.append((say("next-trace"), steps))
        rows.append((say("next-again"), again(report, self.manner.typed)))
        if report.verdict != "pass" and report.file != INPUT:
            rows.append((say("next-watch"), watching(report, self.manner.watched)))
        return [(label, self.screen.typed(command)) for label, command in rows]


def _following(kata: str) -> str | None:
    """The next kata of the ladder."""
    names = [one.id for one in katas()]
    after = names[names.index(kata) + 1 :] if kata in names else []
    return after[0] if after else None
