"""The score is what its formula says, and the verdict what its rules say."""

import pytest
from attn_kata.practice.interview import score as scoring
from attn_kata.practice.interview.questions import question_called
from attn_kata.practice.interview.score import GRADES, clarity, following, grade, level, quality


@pytest.fixture
def play(lead, work, script):
    """Play an interview: what is submitted at each step, and what is ticked."""

    def on(*steps, ticks="all", ask="", **wishes):
        led = lead(**wishes)
        led.line("start")
        for line in filter(None, ask.split("|")):
            led.line(line)
        for count, step in enumerate(steps):
            for word in step.split():
                if word in {"right", "wrong"}:
                    text = f"{getattr(script, word)}# {count}\n"
                    (work / "interview.py").write_text(text, "utf-8")
                    led.line("submit")
                else:
                    led.line(word)
            while led.session.put is not None:
                led.line("")
                led.line(ticks)
        if not led.over:
            led.line("end")
        (work / "interview.py").unlink()
        return led.session

    return on


def points(session):
    """The score's parts, by name."""
    return {part.name: round(part.points, 2) for part in scoring.score(session).parts}


def test_everything_right(play):
    """All passed, all ticked, nothing asked but guessed right: half of the clarity is missing."""
    session = play("right", "right")
    assert points(session) == {"code": 60, "questions": 25, "clarity": 7.5}
    assert scoring.score(session).points == 92
    assert grade(session) == "strong-yes"
    assert level(session) == "junior"


def test_each_slip_costs_what_is_printed(play):
    """A failed submission, a hint and the first `more` cost a tenth, the second a quarter."""
    assert quality(play("wrong right"), 0) == pytest.approx(0.9)
    assert quality(play("hint right"), 0) == pytest.approx(0.9)
    assert quality(play("wrong more right"), 0) == pytest.approx(0.8)
    assert quality(play("wrong more more right"), 0) == pytest.approx(0.55)
    assert quality(play("hint hint hint wrong more more right"), 0) == pytest.approx(0.4)
    assert quality(play("wrong"), 0) == 0


def test_weights(play):
    """In the mha plan the heads count twice as much as the single head."""
    assert points(play("right"))["code"] == 20
    assert points(play("skip", "right"))["code"] == 40


def test_questions_count_by_their_points(play):
    """Two of a question's points are their share of one question of the plan."""
    session = play("right", ticks="1 2")
    had = sum(2 / len(question_called(put.name, "en").points) for put in session.puts)
    assert points(session)["questions"] == pytest.approx(25 * had / 7, abs=0.01)


def test_asking_in_time_counts_whole(play):
    """What was asked before the first submission of its step is asked."""
    session = play("right", ask="what does 1 mean in the mask?|is the mask bool?|dropout?")
    found = {one.topic: one.how for one in clarity(session)}
    assert found["meaning"] == found["entries"] == found["dropout"] == "asked"
    assert found["output"] == "guessed"


def test_what_was_asked_too_early_was_not_answered(play):
    """`No mask yet` at the first step is no answer to what the mask means at the third."""
    session = play("right", "right", "right", plan="ladder", ask="what does 1 mean in the mask?")
    assert {one.topic: one.how for one in clarity(session)}["meaning"] == "guessed"


def test_guessing_wrong_counts_nothing(play, judge, monkeypatch):
    """A submission that shows the wrong guess is what it cost."""
    real = judge.judge

    def at_odds(*asked):
        report = real(*asked)
        if report.verdict == "fail":
            next(check for check in report.checks if check.id == "mask").status = "fail"
        return report

    monkeypatch.setattr(judge, "judge", at_odds)
    session = play("wrong right")
    assert {one.topic: one.how for one in clarity(session)}["meaning"] == "wrong"
    assert ("clarity", "interview --plan mha --practice") in following(session)


@pytest.mark.parametrize(
    ("steps", "ticks", "name"),
    [
        (("right", "right"), "all", "strong-yes"),
        (("right", "right"), "0", "lean"),
        (("skip", "right"), "all", "lean"),
        (("right",), "0", "no"),
        ((), "0", "strong-no"),
    ],
)
def test_grades_follow_their_rules(play, steps, ticks, name):
    """Points and steps together make the verdict."""
    assert grade(play(*steps, ticks=ticks)) == name
    assert name in GRADES


def test_a_senior_who_could_go_either_way_is_a_junior(play):
    """The level that would have been passed follows from the verdict."""
    assert level(play("right", "right", ticks="0", level="senior")) == "junior"
    assert level(play("right", "right", level="senior")) == "senior"
    assert level(play()) == "none"


def test_what_to_practise_next(play):
    """The mistakes' pages, the step not passed, the weakest question; after all, a level up."""
    session = play("right", "wrong", ticks="0")
    assert following(session) == [
        ("mistake", "explain scale-by-hidden-dim"),
        ("tier", "watch mha"),
        ("question", "questions v4"),
    ]
    perfect = play("right", "right")
    once_more = ("once-more", "watch mha")
    assert following(perfect) == [once_more, ("again", "interview --plan mha --level senior")]
    assert following(play("right", "right", level="senior")) == [once_more]
