"""An interview's result as Markdown."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timezone

from ...practice.interview.result import Code, Result
from ..words import say
from .lines import duration
from .result import decided, evidence, had, mark_text, spent, wanted, where

__all__ = ["markdown_text"]


def markdown_text(result: Result, language: str) -> str:
    """Write the whole report."""
    return "\n".join(_rows(result, language)).strip() + "\n"


def _rows(result: Result, language: str) -> Iterator[str]:
    values = {
        "number": result.number,
        "title": result.title[language],
        "level": say(f"interview-level-{result.level}", language),
    }
    yield f"# {say('interview-heading', language, **values)}"
    yield ""
    day = datetime.fromtimestamp(result.wall, timezone.utc).date().isoformat()
    yield (
        f"{day}, {spent(result, language)}"
        if language == "en"
        else f"{day}，{spent(result, language)}"
    )
    if result.practice:
        yield f"\n{say('interview-practice-mark', language)}"
    yield from _score(result, language)
    yield from _steps(result, language)
    yield from _mistakes(result, language)
    yield from _asked(result, language)
    yield from _talk(result, language)
    yield from _questions(result, language)
    yield from _lookups(result, language)
    yield from _clock(result, language)
    yield from _head("result-timeline", language)
    for mark in result.marks:
        number = f" {mark.number}" if mark.number else ""
        yield f"- {duration(mark.at)} {say(f'mark-{mark.kind}', language)}{number}"
    yield from _learn(result, language)
    yield from _head("result-next", language)
    for why, command in result.following:
        yield f"- `attn-kata {command}` ({say(f'practise-{why}', language)})"
    if result.codes:
        yield from _head("result-code", language)
    for code in result.codes:
        yield from _code(code, language)


def _head(key: str, language: str) -> Iterator[str]:
    yield ""
    yield f"## {say(key, language)}"
    yield ""


def _score(result: Result, language: str) -> Iterator[str]:
    if not result.dimensions:
        return
    yield from _head("result-verdict", language)
    yield f"**{say(f'grade-{result.grade}', language)}**"
    yield ""
    yield f"> {say(f'grade-says-{result.grade}', language)}"
    yield ""
    colon = say("colon", language)
    reached = say(f"interview-level-{result.reached}", language)
    yield f"{say('result-level', language)}{colon}{reached}"
    yield ""
    yield f"{say('result-decided', language)}{colon.rstrip()}"
    yield ""
    yield from (f"- {row}" for row in decided(result, language))
    if result.wanted:
        above = say(f"interview-level-{result.above}", language)
        yield ""
        yield f"{say('result-above', language, level=above)}{colon.rstrip()}"
        yield ""
        yield from (f"- {row}" for row in wanted(result, language))
    yield from _head("result-dimensions", language)
    for one, floor in zip(result.dimensions, result.floors, strict=True):
        name = say(f"dimension-{one.name}", language)
        yield f"- **{name}** {mark_text(one, floor, language)}"
        yield from (f"  - {evidence(piece, language)}" for piece in one.evidence)
    yield ""
    yield say("result-legend", language)


def _talk(result: Result, language: str) -> Iterator[str]:
    if result.talk:
        yield from _head("result-talk", language)
    for one in result.talk:
        yield f"- {' '.join(one.text.split())}"
        reply = one.reply[language] or (say("result-unanswered", language),)
        yield from (f"  > {row}" for text in reply for row in text.split("\n"))


def _learn(result: Result, language: str) -> Iterator[str]:
    if result.learn:
        yield from _head("result-learn", language)
    for one in result.learn:
        yield f"- **{' '.join(one.ask[language].split())}**"
        yield from (f"  - {point}" for point in one.points[language])


def _lookups(result: Result, language: str) -> Iterator[str]:
    if result.lookups:
        yield from _head("result-lookups", language)
    yield from (f"- `attn-kata {one}`" for one in result.lookups)


def _steps(result: Result, language: str) -> Iterator[str]:
    yield from _head("result-steps", language)
    for number, step in enumerate(result.steps, 1):
        values = {"took": duration(step.took), "count": step.submissions, "hints": step.hints}
        told = "" if step.state == "unreached" else say("result-step-row", language, **values)
        state = say(f"result-step-{step.state}", language)
        colon = say("colon", language)
        yield f"{number}. {step.title[language]}{colon}**{state}** {told}".rstrip()


def _mistakes(result: Result, language: str) -> Iterator[str]:
    if result.mistakes or result.misses:
        yield from _head("result-mistakes", language)
    for one in result.mistakes:
        values = {"number": one.submission, "where": where(one, language), "message": one.message}
        yield f"- {say('result-mistake-row', language, **values)} (`{one.name}`)"
    for miss in result.misses:
        values = {"number": miss.submission, "topic": miss.name[language]}
        yield f"- {say('result-miss-row', language, **values)}"


def _asked(result: Result, language: str) -> Iterator[str]:
    if result.standings:
        yield from _head("result-asked", language)
    for one in result.standings:
        colon = say("colon", language)
        yield f"- {one.name[language]}{colon}{say(f'standing-{one.how}', language)}"


def _questions(result: Result, language: str) -> Iterator[str]:
    if result.questions:
        yield from _head("result-questions", language)
    for one in result.questions:
        yield f"- **{' '.join(one.ask[language].split())}** ({had(one, language)})"
        for row in (one.answer or say("result-no-answer", language)).split("\n"):
            yield f"  > {row}"
        for number, point in enumerate(one.points[language], 1):
            yield f"  - [{'x' if one.made[number - 1 : number] == (True,) else ' '}] {point}"
        model = " ".join(one.model[language].split())
        yield f"  - {say('result-good', language)}{say('colon', language)}{model}"


def _clock(result: Result, language: str) -> Iterator[str]:
    if result.oddities:
        yield from _head("result-clock", language)
    for one in result.oddities:
        yield f"- {say(f'clock-{one.kind}', language, seconds=duration(one.seconds))}"


def _code(code: Code, language: str) -> Iterator[str]:
    values = {
        "number": code.number,
        "at": duration(code.at),
        "tier": code.tier + 1,
        "verdict": say(f"mark-{'right' if code.accepted else 'wrong'}", language),
    }
    yield ""
    yield f"### {say('result-submission', language, **values)}"
    yield ""
    for row in () if code.accepted else code.report.get("diagnosis", ()):
        line = say("line", language, line=row["line"]) if row["line"] else row["mistake"]
        yield f"- {line}{say('colon', language)}{row['message']} (`{row['mistake']}`)"
    # A fence longer than any in the code, so that the code cannot end it.
    fence = "```"
    while fence in code.source:
        fence += "`"
    yield ""
    yield f"{fence}python"
    yield code.source.rstrip("\n")
    yield fence
