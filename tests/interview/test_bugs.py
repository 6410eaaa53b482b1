"""A step of an interview in which bugs are to be found: claimed, mended, asked about, marked."""

from dataclasses import replace

import pytest
from attn_kata.checker.report.message import Message
from attn_kata.checker.report.report import Check, Diagnosis, Difference, Report
from attn_kata.kata.catalogue import find
from attn_kata.practice.debug.exercise import Order, exercise_called, worked_out
from attn_kata.practice.debug.handing import Proved, Unproved
from attn_kata.practice.interview import bugs, exact
from attn_kata.practice.interview.evidence import verified
from attn_kata.practice.interview.grades import dimensions, missing
from attn_kata.practice.interview.plan import plan_called
from attn_kata.practice.interview.result import result_of
from attn_kata.practice.interview.texts import table
from attn_kata.terminal.words import say

_made = worked_out(Order(kata=find("mha"), seed=3, count=3, level="mid"))
assert _made is not None
EXERCISE = _made
PLANTED = EXERCISE.planted


def judged(text):
    """What the judge says of a text: the planted lines that still stand there."""
    rows = text.splitlines()
    left = [one for one in PLANTED if one.wrong in rows]
    wrong = bool(left) or "broken" in text
    return Report(
        kata="mha", file="interview.py", verdict="fail" if wrong else "pass",
        checks=[Check(id="values", status="fail" if wrong else "pass")],
        difference=Difference(case=Message("listed", {"parts": ["batch 2"]})),
        diagnosis=[Diagnosis(mistake=one.mistake, message="", line=one.line) for one in left],
    )  # fmt: skip


@pytest.fixture
def led(lead, judge, monkeypatch):
    """An interview in which the exercise of this file is handed out."""
    judge.texts = lambda kata: judged
    found = Proved(exercise=EXERCISE, report=judged(EXERCISE.text))
    monkeypatch.setattr(bugs, "proved", lambda order, judge: found)
    seed = next(at for at in range(99) if plan_called("debug").drawn(at).tiers[0].kata.id == "mha")
    return lead(plan="debug", seed=seed)


def mend(work, *places):
    """Write the file with some of its bugs mended."""
    file = work / "interview.py"
    lines = file.read_text("utf-8").splitlines()
    for at in places:
        lines[PLANTED[at].line - 1] = PLANTED[at].right
    file.write_text("\n".join(lines) + "\n", "utf-8")


def ended(led):
    """Answer every question by its right option; return the questions."""
    asked = []
    while led.session.put is not None:
        put = led.session.put.asked("en")
        asked.append(put.id)
        right = exact.shown(put, led.session.seed).index(0) if put.options else 0
        led.line("abcdefgh"[right] if put.options else "")
        if led.session.put is not None and led.session.put.answered:
            led.line("0")
    return asked


def test_the_plan_draws_its_kata() -> None:
    """A seed draws the kata, always the same; its title stands in what is asked."""
    whole = plan_called("debug")
    drawn = {seed: whole.drawn(seed).tiers[0] for seed in range(20)}
    assert whole.drawn(3) == whole.drawn(3)
    assert len({tier.kata.id for tier in drawn.values()}) > 3
    for tier in drawn.values():
        assert tier.kata.title["zh"] in tier.ask["zh"]
        assert tier.bugs == 3


def test_the_file_gives_nothing_away(led, work) -> None:
    """What is handed out is no exercise of `debug`, has all bugs, and what is seen is said."""
    said = led.line("start")
    text = (work / "interview.py").read_text("utf-8")
    assert exercise_called(text.splitlines()[0]) is None
    assert text.splitlines()[1:] == list(EXERCISE.lines[1:])
    assert any(one.key.startswith("symptom-") for one in said)
    again = [one for one in led.line("brief") if one.key.startswith("symptom-")]
    assert [say(one.key, "en", **one.values) for one in again] == [
        "it raises nothing, and the numbers are wrong; this is enough to see it: batch 2"
    ]


def test_claims_before_mending(led, work) -> None:
    """Each bug claimed before it is mended and none wrongly is the best mark."""
    led.line("start")
    first, second, third = PLANTED
    said = [led.line(text)[0].key for text in (
        f"{first.line} {first.mistake}", f"line {second.line}", f"第 {third.line} 行",
        str(first.line),
    )]  # fmt: skip
    assert said == ["claim-right-named", "claim-right", "claim-right", "claim-again"]
    mend(work, 0, 1, 2)
    assert led.line("submit")[0].key == "interview-right"
    assert verified(led.session)[0] == 4


def test_claims_that_cost(led, work) -> None:
    """A guess costs, a claim of what is mended already counts for nothing, half is a three."""
    led.line("start")
    assert verified(led.session)[0] == 1
    led.line("2 norm-added")
    led.line(f"{PLANTED[0].line} norm-added")
    led.line(str(PLANTED[0].line))
    assert verified(led.session)[0] == 2
    mend(work, 1)
    assert led.line(str(PLANTED[1].line))[0].key == "claim-right"
    assert verified(led.session)[0] == 2
    assert [one.early for one in led.session.claims] == [True, True, True, False]
    keys = [one.key for one in verified(led.session)[1]]
    assert "evidence-claim-right-late" in keys
    assert led.line("31 no-such-mistake-at-all")[0].key.startswith("debug-no-such")
    assert led.line("is it the mask?")[0].key == "interview-bugs-ask"


def test_what_is_mended_is_told(led, work) -> None:
    """A submission is told how many bugs it mended and whether it broke something; more, where."""
    led.line("start")
    mend(work, 0)
    said = led.line("submit")
    assert said[0].values == {"mended": 1, "count": 3}
    assert led.line("more")[0].values == {"lines": str(PLANTED[0].line)}
    file = work / "interview.py"
    file.write_text(file.read_text("utf-8") + "\nbroken = 1\n", "utf-8")
    assert "interview-bugs-broken" in [one.key for one in led.line("submit")]
    marks = {one.name: one.mark for one in dimensions(led.session)}
    assert marks["correctness"] == 1
    mend(work, 1)
    led.line("submit")
    assert {one.name: one.mark for one in dimensions(led.session)}["correctness"] == 2
    # What is planted is nobody's mistake.
    assert result_of(led.session).mistakes == ()


def test_hints(led) -> None:
    """Hints go from an area to a line, on bugs that were not claimed."""
    led.line("start")
    led.line(str(PLANTED[0].line))
    steps = [led.line("hint")[0].hint.step for _ in range(3)]
    assert steps == ["area", "step", "line"]
    assert led.session.stage.hinted == [1, 1, 1]


def test_whole_interview(led, work, lead) -> None:
    """One question a bug, after a kill too; nothing is held against what the plan leaves out."""
    led.line("start")
    for one in PLANTED:
        led.line(str(one.line))
    mend(work, 0, 1, 2)
    led.line("submit")
    again = lead(resume=True)
    again.greet()
    asked = ended(again)
    assert [name for name in asked if ":bug-" in name] == [
        f"own:mha:bug-{one.line}" for one in PLANTED
    ]
    assert not any(name.startswith("open:") for name in asked)
    assert again.session.ended == "done"
    marked = dimensions(again.session)
    spared = {name for name, _, _ in missing(marked, "senior")}
    assert "clarifying" not in spared
    result = result_of(again.session)
    assert result.standings == ()
    assert result.mistakes == ()
    assert result.following[0] == ("once-more", "debug mha")


def test_why_nothing_raised() -> None:
    """The reason follows from what the judge saw of the bug alone."""

    def failing(*names):
        checks = [Check(id=name, status="fail") for name in names]
        return replace(judged(""), verdict="fail", checks=checks)

    cases = {
        ("values", "gradients"): "numbers", ("gradients",): "gradients", ("mask",): "numbers",
        ("shape", "values"): "shape", ("dtypes", "device"): "dtypes", ("rules",): "means",
    }  # fmt: skip
    for names, why in cases.items():
        assert bugs._why(failing(*names)) == why


def test_every_reason_is_an_option() -> None:
    """Each reason has its words in both languages, and a question has four different options."""
    rows = table("bugs.toml")["why"]
    assert {why for _, why in bugs._WHY} | {"means", "raises"} == set(rows)
    data = {"kata": "mha", "planted": [bugs.asdict(one) for one in PLANTED[:1]], "why": ["dtypes"]}
    ((name, asked),) = bugs.why_questions(data, 5)
    assert name == f"own:mha:bug-{PLANTED[0].line}"
    for language in ("en", "zh"):
        assert asked[language]["options"][0] == rows["dtypes"][language]
        assert len(set(asked[language]["options"])) == 4
        assert PLANTED[0].wrong.strip() in asked[language]["ask"]


def test_no_draw_is_said(led, monkeypatch) -> None:
    """Where the judge finds no draw whole the interview does not begin, and says so."""

    def none(order, judge):
        raise Unproved(order.seed)

    monkeypatch.setattr(bugs, "proved", none)
    assert led.line("start")[0].key == "debug-unproved"
    assert not led.session.opened
