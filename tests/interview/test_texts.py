"""The interview's own texts: whole, and in both languages."""

import re
from pathlib import Path

import pytest
from attn_kata.checker.report import MISTAKE_IDS
from attn_kata.kata.catalogue import katas
from attn_kata.practice.interview.plan import Level, plan_called, plan_names
from attn_kata.practice.interview.questions import question_called, questions_of
from attn_kata.practice.interview.requirements import answer, draw, topics
from attn_kata.practice.interview.texts import table
from attn_kata.terminal import words_commands, words_help, words_interview, words_report
from attn_kata.terminal.words import knows

LANGUAGES = ("en", "zh")
ROOT = Path(__file__).parent.parent.parent


@pytest.mark.parametrize("name", plan_names())
def test_plans_are_whole(name):
    """Every plan has its words in both languages, and minutes to spare."""
    plan = plan_called(name)
    assert plan.minutes > 0
    for texts in (
        plan.title,
        plan.opening,
        *(t.title for t in plan.tiers),
        *(t.ask for t in plan.tiers),
    ):
        assert set(texts) == set(LANGUAGES)
        assert all(text.strip() for text in texts.values())


@pytest.mark.parametrize("name", plan_names())
@pytest.mark.parametrize("level", list(Level))
def test_every_tier_has_its_questions(name, level):
    """The open question comes first after each tier, none comes twice, all exist."""
    plan = plan_called(name)
    rows = questions_of(plan, level.value, seed=1)
    assert [len(row) for row in rows] == [*(1 + t.questions for t in plan.tiers), plan.closing]
    assert [row[0] for row in rows[:-1]] == [f"open:{tier.kata.id}" for tier in plan.tiers]
    asked = [one for row in rows for one in row]
    assert len(set(asked)) == len(asked)
    for one in asked:
        points = {language: question_called(one, language).points for language in LANGUAGES}
        assert len(points["en"]) == len(points["zh"]) >= 3


def test_levels_ask_for_different_things():
    """A senior's questions are mostly the banks' senior ones."""
    plan = plan_called("ladder")
    asked = {level.value: questions_of(plan, level.value, seed=3) for level in Level}
    assert asked["junior"] != asked["senior"]


def test_the_banks_hold_sixty_questions():
    """Each language has at least 60 questions, with points, trap and source."""
    for language in LANGUAGES:
        found = [one for kata in katas() for one in kata.questions(language)]
        assert len(found) >= 60
        assert all(one.points and one.trap and one.source for one in found)


def test_every_mistake_has_one_voice():
    """The interviewer has a sentence for each mistake, and one alone."""
    voices = table("voices.toml")
    named = [mistake for row in voices.values() for mistake in row["mistakes"]]
    assert sorted(named) == sorted(MISTAKE_IDS)
    assert all(row[language].strip() for row in voices.values() for language in LANGUAGES)


def test_every_question_of_a_candidate_has_an_answer():
    """Whatever is drawn, and at whichever kata: every topic is answered in both languages."""
    draws = [draw(seed, level.value) for seed in range(40) for level in Level]
    for kata in katas():
        for drawn in draws:
            for topic in topics():
                for language in LANGUAGES:
                    said = answer(topic, kata, drawn, language)
                    assert said
                    assert "{" not in said


def test_every_sentence_that_is_said_exists():
    """No key that the interview says is missing from the table of sentences."""
    said = {
        found
        for path in (ROOT / "practice" / "interview").glob("*.py")
        for found in re.findall(
            r'(?:note|key=|Refusal)\(?\s*"([a-z]+(?:-[a-z]+)+)"', path.read_text("utf-8")
        )
    }
    assert len(said) > 30
    assert [key for key in said if not knows(key)] == []


def test_no_sentence_stands_twice():
    """A key names one sentence, whichever table it stands in, filled alike in both languages."""
    tables = (words_commands, words_help, words_interview, words_report)
    rows = [row for each in tables for row in each.ROWS]
    keys = [key for key, _, _ in rows]
    assert len(set(keys)) == len(keys)
    for key, english, chinese in words_interview.ROWS:
        fields = [set(re.findall(r"{(\w+)}", text)) for text in (english, chinese)]
        assert fields[0] == fields[1], key
