"""The interview's own texts: whole, and in both languages."""

import re
from itertools import combinations, pairwise
from pathlib import Path

import pytest
from attn_kata.checker.report.ids import MISTAKE_IDS
from attn_kata.checker.report.report import Diagnosis, Report
from attn_kata.kata.catalogue import UnknownKata, katas
from attn_kata.practice.completion import plans
from attn_kata.practice.interview import plan
from attn_kata.practice.interview.grades import DIMENSIONS, FLOORS
from attn_kata.practice.interview.plan import Level, plan_called, plan_names
from attn_kata.practice.interview.questions import question_called
from attn_kata.practice.interview.requirements import answer, draw, topics
from attn_kata.practice.interview.texts import table
from attn_kata.practice.interview.voices import group_of
from attn_kata.terminal import (
    words_commands,
    words_help,
    words_interview,
    words_report,
    words_result,
    words_watch,
)
from attn_kata.terminal.words import knows, say

LANGUAGES = ("en", "zh")
ROOT = Path(__file__).parent.parent.parent


@pytest.mark.parametrize("name", plan_names())
def test_plans_are_whole(name):
    """Every plan has its words in both languages, and minutes to spare."""
    whole = plan_called(name)
    assert whole.minutes > 0
    for texts in (
        whole.title,
        whole.opening,
        *(t.title for t in whole.tiers),
        *(t.ask for t in whole.tiers),
    ):
        assert set(texts) == set(LANGUAGES)
        assert all(text.strip() for text in texts.values())


@pytest.mark.parametrize("kata", katas(), ids=lambda kata: kata.id)
def test_exact_questions_are_whole(kata):
    """Both languages offer the same options, no two alike, and numbers are numbers."""
    english, chinese = (kata.exact_questions(language) for language in LANGUAGES)
    for one, other in zip(english, chinese, strict=True):
        assert one.kind in {"choose", "order", "number"}
        assert one.ask
        assert one.answer
        assert len(one.options) == len(other.options) == len(set(other.options))
        assert bool(one.options) == (one.kind != "number")
        assert one.value or one.kind != "number"


@pytest.mark.parametrize("name", [key for key in table("unasked.toml") if key != "ask"])
def test_open_questions_are_whole(name):
    """Each entry is whole in both languages, also one for a kata that is not there yet."""
    asked = {language: question_called(f"open:{name}", language) for language in LANGUAGES}
    assert all(one.ask and one.answer for one in asked.values())
    assert len(asked["en"].points) == len(asked["zh"].points) >= 3


def test_a_plan_for_a_kata_that_is_not_there_is_found(monkeypatch):
    """It does not load, so that the tests above fail; other plans go on."""
    broken = {**table("plans/mha.toml"), "closing_from": ["none-such"]}
    monkeypatch.setattr(
        plan, "table", lambda name: broken if name == "plans/mha.toml" else table(name)
    )
    with pytest.raises(UnknownKata, match="none-such"):
        plan_called("mha")
    assert plan_called("llm").tiers


def test_the_plans_that_help_and_documentation_name():
    """`--help` and docs/interview.md name every plan, and completion finds them."""
    page = (ROOT / "docs" / "interview.md").read_text("utf-8")
    for name in plan_names():
        assert f"| `{name}` | {plan_called(name).minutes} |" in page
        assert all(name in say("option.interview.plan", language) for language in LANGUAGES)
        assert name in plans(name[:2])


def test_levels_ask_for_different_things():
    """Every level has a floor in every dimension, none lower than the level below."""
    floors = [FLOORS[level.value] for level in Level]
    assert all(len(row) == len(DIMENSIONS) for row in floors)
    for below, above in pairwise(floors):
        assert below != above
        assert all(low <= high for low, high in zip(below, above, strict=True))


def test_the_banks_hold_sixty_questions():
    """Each language has at least 60 questions, with points, trap and source."""
    for language in LANGUAGES:
        found = [one for kata in katas() for one in kata.questions(language)]
        assert len(found) >= 60
        assert all(one.points and one.trap and one.source for one in found)


def test_every_mistake_has_one_voice():
    """The interviewer has a sentence for each mistake that any kata may make, and one alone."""
    voices = table("voices.toml")
    named = [mistake for row in voices.values() for mistake in row["mistakes"]]
    assert len(set(named)) == len(named)
    assert set(named) <= set(MISTAKE_IDS)
    for mistake in MISTAKE_IDS:
        diagnosis = [Diagnosis(mistake=mistake, message="")]
        report = Report(kata="v1", file="", verdict="fail", diagnosis=diagnosis)
        assert group_of(report) != "unknown", mistake
    assert all(row[language].strip() for row in voices.values() for language in LANGUAGES)


def test_every_voice_that_speaks_of_mistakes_has_its_hints():
    """Whatever mistake a check names, there is how to see it and what its step has to do."""
    for group, row in table("voices.toml").items():
        about = row["mistakes"] or row.get("begins") or row.get("lines")
        if not about:
            continue
        assert set(row["see"]) == set(row["nudge"]) == set(LANGUAGES), group
        assert all("`" not in row["nudge"][language] for language in LANGUAGES), group


def draws():
    """Draws of which some hold any two values that are ever drawn together."""
    seen = set()
    for seed in range(40):
        for level in Level:
            drawn = draw(seed, level.value)
            pairs = {*combinations(sorted(drawn.items()), 2)}
            if not pairs <= seen:
                yield drawn
            seen |= pairs


def test_every_question_of_a_candidate_has_an_answer():
    """Whatever is drawn, and at whichever kata: every topic is answered in both languages."""
    drawings = [*draws()]
    for kata in katas():
        for drawn in drawings:
            for topic in topics():
                for language in LANGUAGES:
                    said = answer(topic, kata, drawn, language)
                    assert said
                    assert "{" not in said


def test_every_sentence_that_is_said_exists():
    """No key that the interview says is missing from the table of sentences."""
    said = {
        found
        for path in (ROOT / "practice" / "interview").rglob("*.py")
        for found in re.findall(
            r'(?:note|key=|Refusal)\(?\s*"([a-z]+(?:-[a-z]+)+)"', path.read_text("utf-8")
        )
    }
    assert len(said) > 30
    assert [key for key in said if not knows(key)] == []


def test_no_sentence_stands_twice():
    """A key names one sentence, whichever table it stands in, filled alike in both languages."""
    tables = (words_commands, words_help, words_interview, words_report, words_result, words_watch)
    rows = [row for each in tables for row in each.ROWS]
    keys = [key for key, _, _ in rows]
    assert len(set(keys)) == len(keys)
    for key, english, chinese in (*words_interview.ROWS, *words_result.ROWS):
        fields = [set(re.findall(r"{(\w+)}", text)) for text in (english, chinese)]
        assert fields[0] == fields[1], key
