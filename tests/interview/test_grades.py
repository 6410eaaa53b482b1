"""The verdict follows from what was shown: floors in every dimension, and no tick counts."""

import pytest
from attn_kata.practice.interview import exact
from attn_kata.practice.interview.grades import (
    DIMENSIONS,
    FLOORS,
    GRADES,
    dimensions,
    grade,
    level,
    missing,
)
from attn_kata.practice.interview.practise import following, to_learn
from attn_kata.practice.interview.standing import clarity

ASK = (
    "what does 1 mean in the mask?",
    "is the mask boolean?",
    "should there be dropout?",
    "do you want an output projection?",
    "which dtype and device?",
)
CHECKED = "# right\nclass Attention: ...\nassert Attention()\n"


def good(asked, seed):
    """A right answer to any question."""
    if asked.kind in {"choose", "order"}:
        order = exact.shown(asked, seed)
        names = exact.letters(len(order))
        return [" ".join(names[order.index(int(at))] for at in asked.expected)]
    if asked.kind == "shape":
        return [", ".join(f"{size:g}" for size in asked.expected)]
    return [f"{asked.expected[0]:.0f}"] if asked.exact else [asked.answer, "", "0"]


@pytest.fixture
def play(lead, work, script, hands):
    """Play an interview: what is asked, what each step does, and how questions are answered."""

    def on(*steps, ask=(), answer=None, ticks="all", **wishes):
        led = lead(**wishes)
        for line in ask:
            led.line(line)
        led.line("start")
        for count, step in enumerate(steps):
            for word in step.split():
                if word in {"right", "wrong"}:
                    text = f"{getattr(script, word)}# {count}\n"
                    (work / "interview.py").write_text(text, "utf-8")
                    led.line("submit")
                elif word == "checked":
                    (work / "interview.py").write_text(f"{CHECKED}# {count}\n", "utf-8")
                    led.line("run")
                    led.line("submit")
                else:
                    hands.go_on(1)
                    led.line(word)
            while (put := led.session.put) is not None:
                asked = put.asked("en")
                lines = good(asked, led.session.seed) if answer is None else [answer, "", ticks]
                for line in lines:
                    if led.session.put is put:
                        led.line(line)
        if not led.over:
            led.line("end")
        (work / "interview.py").unlink()
        return led.session

    return on


def marks(session, lookups=()):
    """The marks, by dimension."""
    return {one.name: one.mark for one in dimensions(session, lookups)}


def verdict(session, lookups=()):
    """The verdict's name."""
    return grade(session, dimensions(session, lookups))


def test_a_strong_candidate_is_a_yes_at_every_level(play):
    """All asked, checked, passed and explained: the best marks but where no numbers were asked."""
    session = play("checked", "checked", ask=ASK)
    found = marks(session)
    assert found["clarifying"] == found["correctness"] == found["verification"] == 4
    assert found["explanation"] == found["independence"] == found["pace"] == 4
    assert verdict(session) in {"yes", "strong-yes"}
    assert level(session, dimensions(session)) == "junior"


@pytest.mark.parametrize("answer", ["asdf qwer zxcv", "I don't know", "", "because of that"])
def test_ticks_make_no_yes(play, answer):
    """Right code and every box ticked: without reasons that is no yes, at no level."""
    for wanted in ("junior", "senior"):
        session = play("right", "right", answer=answer, ticks="all", level=wanted)
        assert marks(session)["explanation"] == 1
        assert verdict(session) not in {"yes", "strong-yes"}
        assert level(session, dimensions(session)) == "none"


@pytest.mark.parametrize(("told", "most"), [(0.0, 1), (0.35, 2), (0.45, 3), (1.0, 4)])
def test_closed_questions_carry_no_explanation(play, told, most):
    """All closed ones right, and few points in one's own words: no yes of a senior."""
    session = play("checked", "checked", ask=ASK, level="senior")
    free = [put for put in session.puts if not put.asked("en").exact]
    points = sum(len(put.made) for put in free)
    left = round(told * points)
    for put in free:
        put.made = tuple(left > at for at in range(len(put.made)))
        left -= sum(put.made)
    explanation = next(one for one in dimensions(session) if one.name == "explanation")
    assert explanation.mark <= most
    assert (verdict(session) in {"yes", "strong-yes"}) is (most >= 3)
    told_so = [one for one in explanation.evidence if one.key == "evidence-own-words"]
    assert all(one.values["count"] == points for one in told_so)


def test_no_number_right_is_no_numerics(play):
    """Code that holds in every dtype earns nothing where numbers were asked and none was known."""
    session = play("right", "right", answer="")
    assert any(put.asked("en").numeric for put in session.puts)
    assert marks(session)["numerics"] == 1


def test_an_interview_that_ended_early_took_what_it_took(play):
    """Not the time that was planned, and not that in which the clock stood."""
    session = play("right")
    pace = next(one for one in dimensions(session) if one.name == "pace")
    assert pace.evidence[0].values["spent"] == session.used < 60


def test_gibberish_earns_nothing(play):
    """Not a point, whatever is ticked."""
    session = play("right", "right", answer="blah blah the thing is very good", ticks="all")
    assert [put.name for put in session.puts if any(put.made)] == []


def test_good_answers_are_heard(play):
    """The model answers and the right choices make nearly every point."""
    session = play("right", "right")
    made = [sum(put.made) / len(put.made) for put in session.puts]
    assert sum(made) / len(made) > 0.9


def test_each_help_costs(play):
    """Hints, what was told, and what was looked up; the model answer costs most."""
    assert marks(play("right", "right"))["independence"] == 4
    assert marks(play("hint right", "right"))["independence"] == 3
    assert marks(play("wrong more more hint right", "right"))["independence"] == 2
    assert marks(play("right", "right"), ["check v4", "explain x"])["independence"] == 3
    assert marks(play("right", "right"), ["solution mha"])["independence"] == 1


@pytest.mark.costly
def test_checks_of_ones_own_are_verification(play):
    """A run that asserts something counts more than one that does not, or none."""
    assert marks(play("right", "right"))["verification"] == 1
    assert marks(play("run right", "right"))["verification"] == 2
    assert marks(play("checked", "right"))["verification"] == 3
    assert marks(play("checked", "checked"))["verification"] == 4


def test_steps_make_correctness_and_pace(play):
    """Half of the steps is half, and the floor of no level."""
    assert marks(play("right", "wrong"))["correctness"] == 2
    assert marks(play("wrong", "skip"))["correctness"] == 1
    assert marks(play("wrong wrong wrong right", "wrong right"))["correctness"] >= 3
    assert marks(play("right"))["pace"] == 2
    assert verdict(play("wrong")) == "strong-no"
    assert verdict(play("right", "wrong")) in {"no", "lean"}


def test_asking_in_time_is_clarifying(play):
    """Before the first submission that it matters for; guesses are less, wrong ones nothing."""
    assert marks(play("right", "right", ask=ASK))["clarifying"] == 4
    assert marks(play("right", "right"))["clarifying"] == 2
    asked = {one.topic: one.how for one in clarity(play("right", ask=ASK[:1]))}
    assert asked["meaning"] == "asked"
    assert asked["entries"] == "guessed"


def test_what_was_asked_too_early_was_not_answered(play):
    """`No mask yet` at the first step is no answer to what the mask means at the third."""
    session = play("right", "right", "right", plan="ladder", ask=ASK[:1])
    assert {one.topic: one.how for one in clarity(session)}["meaning"] == "guessed"


@pytest.mark.parametrize(
    ("mistake", "topic"), [("mask-inverted", "meaning"), ("dropout-on-output", "dropout")]
)
def test_a_mistake_shows_what_was_misunderstood(play, judge, monkeypatch, mistake, topic):
    """Also where the check that would prove it was not reached."""
    real = judge.judge

    def at_odds(*asked):
        report = real(*asked)
        for one in report.diagnosis:
            one.mistake = mistake
        return report

    monkeypatch.setattr(judge, "judge", at_odds)
    session = play("wrong right")
    assert {one.topic: one.how for one in clarity(session)}[topic] == "wrong"


def test_floors_decide(play):
    """What is missing is named with its mark and its floor, and only that decides."""
    session = play("right", "right", answer="")
    marked = dimensions(session)
    assert ("explanation", 1, 2) in missing(marked, "junior")
    assert set(FLOORS) == {"junior", "mid", "senior", "staff"}
    assert {one.name for one in marked} == set(DIMENSIONS)
    assert grade(session, marked) in GRADES


def test_marks_have_their_evidence(play):
    """Every dimension quotes what it was read from."""
    for one in dimensions(play("checked", "wrong more", ask=ASK)):
        assert one.evidence, one.name


def test_what_to_practise_begins_with_the_failed_step(play):
    """Then the mistake's page; the questions that were missed are there to be learnt."""
    session = play("right", "wrong", answer="")
    assert following(session)[0] == ("tier", "watch mha")
    assert ("mistake", "explain scale-by-hidden-dim") in following(session)
    assert to_learn(session)
    assert following(play("right", "right"))[0] == ("once-more", "watch mha")
