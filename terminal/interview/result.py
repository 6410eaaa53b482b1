"""An interview's result on the screen: the verdict, what was shown, and how it came about."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ...practice.interview.grades import SPARED, Dimension
from ...practice.interview.requirements import topics
from ...practice.interview.result import Answered, Evidence, Mistake, Result
from ..lists import command_lines
from ..text import Line, cells, pad, safe, wrap
from ..words import in_words, say
from .lines import duration

__all__ = [
    "decided",
    "evidence",
    "had",
    "mark_text",
    "result_lines",
    "spent",
    "wanted",
    "where",
]

_STYLES = {"strong-yes": "pass", "yes": "pass", "lean": "note", "no": "fail", "strong-no": "fail"}


def result_lines(
    result: Result, language: str, width: int, typed: Callable[[str], str] = str
) -> list[Line]:
    """Draw the whole result."""
    blocks = [_head(result, language, width)]
    if result.dimensions:
        blocks += [_verdict(result, language, width), _shown(result, language, width)]
    blocks += [
        _steps(result, language, width),
        _mistakes(result, language, width),
        _asked(result, language, width),
        _questions(result, language, width),
        _looked_up(result, language, width),
        _clock(result, language, width),
        _learn(result, language, width),
        _next(result, language, width, typed),
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


def evidence(one: Evidence, language: str) -> str:
    """Write one piece of evidence."""
    named = {topic.id: topic.name for topic in topics()}
    values: dict[str, object] = {}
    for key, value in one.values.items():
        told = named[str(value)] if key == "topic" else value
        told = duration(float(value)) if key == "spent" else told
        values[key] = safe(str(told[language] if isinstance(told, Mapping) else told))
    key = "evidence-not-passed-line" if one.values.get("line") else one.key
    return say(key, language, **values) if values else say(key, language)


def decided(result: Result, language: str) -> list[str]:
    """Say what decided the verdict, a row a dimension."""
    level = say(f"interview-level-{result.level}", language)
    rows = [
        say(
            "result-decided-row",
            language,
            name=say(f"dimension-{name}", language),
            mark=mark,
            floor=floor,
            level=level,
        )
        for name, mark, floor in result.missed
    ]
    return rows or [say("result-decided-none", language)]


def wanted(result: Result, language: str) -> list[str]:
    """Say what the next level would want besides, a row a dimension."""
    return [
        say(
            "result-above-row",
            language,
            name=say(f"dimension-{name}", language),
            mark=mark,
            floor=floor,
        )
        for name, mark, floor in result.wanted
    ]


def mark_text(one: Dimension, floor: int, language: str) -> str:
    """Write a mark with the floor beside it; nothing seen of what every plan calls for is a 0."""
    if not one.mark and one.name in SPARED:
        return say("result-unseen", language)
    return f"{one.mark}/4  {say('result-floor', language, floor=floor)}"


def where(mistake: Mistake, language: str) -> str:
    """Say where a mistake stands: the line, or the name alone where no line is known."""
    return say("line", language, line=mistake.line) if mistake.line else mistake.name


def had(one: Answered, language: str) -> str:
    """Say how many points were heard; what stands on the candidate's word is told beside it."""
    heard = say("result-had", language, had=one.had, count=one.count)
    if not one.claimed:
        return heard
    return f"{heard} ({say('result-claimed', language, count=one.claimed)})"


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
    lines.append([(level, ""), (say(f"interview-level-{result.reached}", language), "bold")])
    lines.append([(say("result-decided", language) + say("colon", language), "bold")])
    lines += _bullets(decided(result, language), width)
    if result.wanted:
        above = say(f"interview-level-{result.above}", language)
        head = say("result-above", language, level=above) + say("colon", language)
        lines.append([(head, "bold")])
        lines += _bullets(wanted(result, language), width)
    return lines


def _bullets(rows: Sequence[str], width: int, style: str = "") -> list[Line]:
    return [
        [(("  " if not at else "    ") + line, style)]
        for row in rows
        for at, line in enumerate(wrap(row, width - 4))
    ]


def _dashes(rows: Sequence[str], width: int) -> list[Line]:
    return [
        [(("    - " if not at else "      ") + line, "dim")]
        for row in rows
        for at, line in enumerate(wrap(row, width - 8))
    ]


def _shown(result: Result, language: str, width: int) -> list[Line]:
    """Draw the dimensions with their marks and what these were read from."""
    lines: list[Line] = [[(say("result-dimensions", language), "bold")]]
    names = [say(f"dimension-{one.name}", language) for one in result.dimensions]
    room = max(map(cells, names))
    for name, one, floor in zip(names, result.dimensions, result.floors, strict=True):
        style = "dim" if not one.mark else "pass" if one.mark >= floor else "fail"
        lines.append([(f"  {pad(name, room)}  ", ""), (mark_text(one, floor, language), style)])
        lines += _dashes([evidence(piece, language) for piece in one.evidence], width)
    return [*lines, *_bullets([say("result-legend", language)], width, "dim")]


def _looked_up(result: Result, language: str, width: int) -> list[Line]:
    if not result.lookups:
        return []
    rows = [f"attn-kata {one}" for one in result.lookups]
    return [[(say("result-lookups", language), "bold")], *_bullets(rows, width)]


def _learn(result: Result, language: str, width: int) -> list[Line]:
    if not result.learn:
        return []
    lines: list[Line] = [[(say("result-learn", language), "bold")]]
    for one in result.learn:
        lines += _bullets([" ".join(one.ask[language].split())], width)
        rows = one.points[language] or (one.model[language],)
        lines += _dashes(rows, width)
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
            "message": in_words(one.message, language),
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
    # With marks it is there already, as their evidence.
    if not result.standings or result.dimensions:
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
    scores = [had(one, language) for one in result.questions]
    room = max(map(cells, scores))
    lines: list[Line] = [[(say("result-questions", language), "bold")]]
    beside = width - room - 6 >= room
    for score, one in zip(scores, result.questions, strict=True):
        text = " ".join(one.ask[language].split("\n"))
        first, *rest = wrap(text, width - 6 - (room if beside else 0))
        asked = (first + (" …" if rest else ""), "")
        if beside:
            lines.append([(f"  {pad(score, room)}  ", "bold"), asked])
        else:
            lines += [[(f"  {score}", "bold")], [("    ", ""), asked]]
    return lines


def _clock(result: Result, language: str, width: int) -> list[Line]:
    lines: list[Line] = []
    for one in result.oddities:
        text = say(f"clock-{one.kind}", language, seconds=duration(one.seconds))
        lines += [[(f"  {row}", "note")] for row in wrap(text, width - 2)]
    return [[(say("result-clock", language), "bold")], *lines] if lines else []


def _next(result: Result, language: str, width: int, typed: Callable[[str], str]) -> list[Line]:
    pairs = [
        (typed(f"attn-kata {command}"), say(f"practise-{why}", language))
        for why, command in result.following
    ]
    again = typed(f"attn-kata interview report {result.number}")
    pairs.append((again, say("result-title-again", language)))
    return [[(say("result-next", language), "bold")], *command_lines(pairs, width)]
