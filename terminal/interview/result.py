"""An interview's result on the screen: the verdict, the score and how it came about."""

from __future__ import annotations

from ...practice.interview.result import Mistake, Result
from ...practice.interview.score import Part
from ..lists import command_lines
from ..text import Line, cells, pad, safe, wrap
from ..words import say
from .lines import duration

__all__ = ["how", "result_lines", "spent", "where"]

_STYLES = {"strong-yes": "pass", "yes": "pass", "lean": "note", "no": "fail", "strong-no": "fail"}


def result_lines(result: Result, language: str, width: int) -> list[Line]:
    """Draw the whole result."""
    blocks = [_head(result, language, width)]
    if result.score is not None:
        blocks += [_verdict(result, language, width), _score(result, language, width)]
    blocks += [
        _steps(result, language, width),
        _mistakes(result, language, width),
        _asked(result, language, width),
        _questions(result, language, width),
        _clock(result, language, width),
        _next(result, language, width),
    ]
    lines: list[Line] = []
    for block in filter(None, blocks):
        lines += [*([[]] if lines else []), *block]
    return lines


def spent(result: Result, language: str) -> str:
    """Say how long it took, and how it ended."""
    took = {"spent": duration(result.spent), "whole": duration(result.minutes * 60)}
    key = "result-took-practice" if result.practice else "result-took"
    end = say(f"result-end-{result.ended}", language)
    comma = "，" if language == "zh" else ", "
    runs = [say("result-runs", language, count=result.runs)] if result.runs else []
    return comma.join([say(key, language, **took), end, *runs])


def how(part: Part, language: str) -> str:
    """Write one part of the score with its numbers."""
    values = {"most": part.most, "reached": f"{part.reached:.2f}", "possible": f"{part.possible:g}"}
    return say(f"part-{part.name}-how", language, **values)


def where(mistake: Mistake, language: str) -> str:
    """Say where a mistake stands: the line, or the name alone where no line is known."""
    return say("line", language, line=mistake.line) if mistake.line else mistake.name


def _head(result: Result, language: str, width: int) -> list[Line]:
    values = {
        "number": result.number,
        "title": result.title[language],
        "level": say(f"interview-level-{result.level}", language),
    }
    lines: list[Line] = [
        [(row, "bold")] for row in wrap(say("interview-heading", language, **values), width)
    ]
    mark = [say("interview-practice-mark", language)] if result.practice else []
    told = [row for text in (spent(result, language), *mark) for row in wrap(text, width)]
    return [*lines, *([(row, "dim")] for row in told)]


def _verdict(result: Result, language: str, width: int) -> list[Line]:
    label = say("result-verdict", language) + say("colon", language)
    grade = say(f"grade-{result.grade}", language)
    lines: list[Line] = [[(label, "bold"), (grade, _STYLES[result.grade])]]
    said = say(f"grade-says-{result.grade}", language)
    lines += [[("▌ ", "code"), (row, "")] for row in wrap(said, width - 2)]
    level = say("result-level", language) + say("colon", language)
    return [*lines, [(level, ""), (say(f"interview-level-{result.reached}", language), "bold")]]


def _score(result: Result, language: str, width: int) -> list[Line]:
    score = result.score
    assert score is not None
    lines: list[Line] = [
        [(f"{say('result-score', language)}  ", "bold"), (f"{score.points}", "bold")]
    ]
    names = [say(f"part-{part.name}", language) for part in score.parts]
    room = max(map(cells, names))
    for name, part in zip(names, score.parts, strict=True):
        head = f"  {pad(name, room)}  {part.points:4.1f}  "
        rows = wrap(how(part, language), width - cells(head))
        lines.append([(head, ""), (rows[0], "dim")])
        lines += [[(" " * cells(head) + row, "dim")] for row in rows[1:]]
    for key in ("result-quality", "result-rule"):
        rows = wrap(say(key, language), width - 4)
        lines += [[(("  " if not at else "    ") + row, "dim")] for at, row in enumerate(rows)]
    return lines


def _steps(result: Result, language: str, width: int) -> list[Line]:
    lines: list[Line] = [[(say("result-steps", language), "bold")]]
    for number, step in enumerate(result.steps, 1):
        mark = say(f"result-step-{step.state}", language)
        style = {"passed": "pass", "open": "fail"}.get(step.state, "dim")
        values = {"took": duration(step.took), "count": step.submissions, "hints": step.hints}
        told = "" if step.state == "unreached" else say("result-step-row", language, **values)
        head = f"  {number}  {step.title[language]}"
        gap = width - cells(head) - cells(mark) - cells(told) - 2
        if gap >= 2:
            lines.append([(head, ""), (" " * gap, ""), (f"{told}  ", "dim"), (mark, style)])
            continue
        # Too narrow to stand beside: the word below, and what it took below that.
        lines += [[(row if not at else f"     {row}", "")] for at, row in _rows(head, width)]
        lines.append([("     ", ""), (mark, style)])
        lines += [[(f"     {row}", "dim")] for row in wrap(told, width - 5) if row]
    return lines


def _rows(text: str, width: int) -> list[tuple[int, str]]:
    return list(enumerate(wrap(text, width - 5)))


def _mistakes(result: Result, language: str, width: int) -> list[Line]:
    lines: list[Line] = []
    for one in result.mistakes:
        values = {
            "number": one.submission,
            "where": where(one, language),
            "message": safe(one.message),
        }
        rows = wrap(say("result-mistake-row", language, **values), width - 4)
        lines += [[(("  " if not at else "    ") + row, "")] for at, row in enumerate(rows)]
        lines += [[(f"    {one.name}", "dim")]] if one.line else []
    for miss in result.misses:
        values = {"number": miss.submission, "topic": miss.name[language]}
        rows = wrap(say("result-miss-row", language, **values), width - 4)
        lines += [[(("  " if not at else "    ") + row, "")] for at, row in enumerate(rows)]
    return [[(say("result-mistakes", language), "bold")], *lines] if lines else []


def _asked(result: Result, language: str, width: int) -> list[Line]:
    if not result.standings:
        return []
    names = [one.name[language] for one in result.standings]
    room = max(map(cells, names))
    styles = {"asked": "pass", "wrong": "fail"}
    lines: list[Line] = [[(say("result-asked", language), "bold")]]
    for name, one in zip(names, result.standings, strict=True):
        mark = say(f"standing-{one.how}", language)
        style = styles.get(one.how, "dim")
        if room + cells(mark) + 4 <= width:
            lines.append([(f"  {pad(name, room)}  ", ""), (mark, style)])
        else:
            lines += [[(f"  {row}", "")] for row in wrap(name, width - 2)]
            lines += [[(f"    {row}", style)] for row in wrap(mark, width - 4)]
    return lines


def _questions(result: Result, language: str, width: int) -> list[Line]:
    if not result.questions:
        return []
    scores = [say("result-had", language, had=one.had, count=one.count) for one in result.questions]
    room = max(map(cells, scores))
    lines: list[Line] = [[(say("result-questions", language), "bold")]]
    for score, one in zip(scores, result.questions, strict=True):
        text = " ".join(one.ask[language].split("\n"))
        first, *rest = wrap(text, width - room - 6)
        lines.append([(f"  {pad(score, room)}  ", "bold"), (first + (" …" if rest else ""), "")])
    return lines


def _clock(result: Result, language: str, width: int) -> list[Line]:
    lines: list[Line] = []
    for one in result.oddities:
        text = say(f"clock-{one.kind}", language, seconds=duration(one.seconds))
        lines += [[(f"  {row}", "note")] for row in wrap(text, width - 2)]
    return [[(say("result-clock", language), "bold")], *lines] if lines else []


def _next(result: Result, language: str, width: int) -> list[Line]:
    pairs = [
        (f"attn-kata {command}", say(f"practise-{why}", language))
        for why, command in result.following
    ]
    again = f"attn-kata interview report {result.number}"
    pairs.append((again, say("result-title-again", language)))
    return [[(say("result-next", language), "bold")], *command_lines(pairs, width)]
