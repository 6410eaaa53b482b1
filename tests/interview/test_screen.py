"""The screen at 80x24, driven as a person drives it."""

import asyncio

import pytest
from attn_kata.checker import Message
from attn_kata.practice.interview.said import note
from attn_kata.terminal.interview import app as app_module
from attn_kata.terminal.interview.app import InterviewApp
from attn_kata.terminal.interview.lines import said_lines
from attn_kata.terminal.interview.typed import Typed
from attn_kata.terminal.text import written
from textual import events


@pytest.fixture
def held(lead):
    """Hold an interview on a screen: a coroutine acts on it, and its rows come back."""

    def hold(act, *, size=(80, 24), language="en", **wishes):
        led = lead(language=language, **wishes)
        app = InterviewApp(led, language)

        async def run():
            async with app.run_test(size=size) as pilot:
                await settled(app, pilot)
                await act(app, pilot)
                return rows(app)

        return led, asyncio.run(run())

    return hold


async def settled(app, pilot):
    """Wait until the interviewer has answered and the screen shows it."""
    await app.workers.wait_for_complete()
    await pilot.pause()
    await app.workers.wait_for_complete()
    await pilot.pause()


def rows(app):
    """The screen's rows as text."""
    strips = app.screen._compositor.render_strips()
    return ["".join(segment.text for segment in strip).rstrip() for strip in strips]


async def say(app, pilot, *lines):
    """Type lines, each ended; a pilot would rest after every key."""
    for line in lines:
        for char in line:
            name = {" ": "space", "?": "question_mark"}.get(char) or char
            app._driver.send_message(events.Key(name, char).set_sender(app))
        await pilot.press("enter")
        await settled(app, pilot)


async def nothing(app, pilot):
    """Only look."""


def test_brief(held):
    """First: what is asked, that the clock waits, and where to type."""
    _, shown = held(nothing)
    assert len(shown) == 24
    assert shown[0].endswith("the clock waits for `start`")
    assert "multi-head attention in PyTorch" in " ".join(shown)
    assert shown[-2] == "say or type a command"
    assert shown[-1] == "F1 help  F2 submit  F3 run  F4 hint  F5 more  ^Q leave"


def test_clock_runs_and_redraws_nothing_else(held, hands):
    """The time left is shown, and a second later only the first line is drawn anew."""

    async def act(app, pilot):
        await say(app, pilot, "start")
        hands.go_on(61.5)
        drawn = []
        app.show, show = lambda name, text: (drawn.append((name, text)), show(name, text)), app.show
        app.look()
        await pilot.pause()
        assert [name for name, _ in drawn] == ["state"]

    _, shown = held(act)
    assert shown[0].endswith("left 28:59")
    assert shown[0].startswith("1/2 one head, but a real layer")


def test_the_clock_ends_with_the_screen(held, monkeypatch):
    """However often it is looked at, no look comes while the screen is taken down."""
    monkeypatch.setattr(app_module, "_TICK", 0.0005)
    for _ in range(3):
        _, shown = held(nothing)
        assert shown[0].endswith("the clock waits for `start`")


def test_withheld_diagnosis(held, work, script):
    """F2 submits: one sentence, and the verdict in the first line."""

    async def act(app, pilot):
        await say(app, pilot, "start")
        (work / "interview.py").write_text(script.wrong, "utf-8")
        await pilot.press("f2")
        await settled(app, pilot)

    led, shown = held(act)
    assert "not accepted" in shown[0]
    assert "▌ I'd look at your scaling again." in shown
    assert "√hidden_dim" not in " ".join(shown)
    assert len(led.session.submissions) == 1


def test_more_opens_at_its_beginning_and_help_explains(held, work, script):
    """What is longer than the screen is read from where it begins; `leave` leaves."""

    async def act(app, pilot):
        await say(app, pilot, "start")
        (work / "interview.py").write_text(script.wrong, "utf-8")
        for word in ("submit", "more", "more"):
            await say(app, pilot, word)
        first = rows(app)
        assert any(row.startswith("> more") for row in first[2:4])
        assert not any("counts against your independence once more" in row for row in first)
        await pilot.press("f1")
        await settled(app, pilot)
        shown = " ".join(rows(app))
        assert "tells more of what is wrong, at a cost" in shown
        assert "ends the interview and shows the result" in shown

    held(act)


def test_a_key_pressed_meanwhile_is_not_lost(held, work, script):
    """F2 while the interviewer is busy submits afterwards, once."""

    async def act(app, pilot):
        await say(app, pilot, "start")
        (work / "interview.py").write_text(script.wrong, "utf-8")
        app.busy = True
        await pilot.press("f2")
        await pilot.press("f2")
        assert not app.interview.session.submissions
        app.told(None, [])
        await settled(app, pilot)

    led, _ = held(act)
    assert len(led.session.submissions) == 1


@pytest.mark.parametrize(("language", "words"), [("en", "not divided by"), ("zh", "没有除以")])
def test_the_judges_message_is_told_in_words(language, words):
    """What is told of a mistake is its sentence."""
    message = Message("slip", {"kata": "v4", "id": "scale-missing"})
    told = note("interview-mistake-line", line=14, message=message, mistake="scale-missing")
    shown = "".join(written(line) for line in said_lines([told], language, 80))
    assert words in shown
    assert "Message" not in shown


async def to_a_free_question(app, pilot):
    """Leave exact questions unanswered until one is to be answered in one's own words."""
    while app.interview.session.put.asked("en").exact:
        await say(app, pilot, "skip")


def test_answers_and_ticks(held, work, script):
    """After a pass the question is answered in lines, an empty one ends it; keys do nothing."""

    async def act(app, pilot):
        await say(app, pilot, "start")
        (work / "interview.py").write_text(script.right, "utf-8")
        await pilot.press("f2")
        await settled(app, pilot)
        await pilot.press("f2")
        await to_a_free_question(app, pilot)
        await say(app, pilot, "the scale", "", "1 2")

    led, _ = held(act)
    put = next(one for one in led.session.puts if not one.asked("en").exact)
    assert put.lines == ["the scale"]
    assert put.ticked == (1, 2)
    assert len(led.session.submissions) == 1


def test_the_first_line_says_what_is_being_read(held, work, script):
    """While an answer is read, no code is."""

    async def act(app, pilot):
        await say(app, pilot, "start")
        (work / "interview.py").write_text(script.right, "utf-8")
        await say(app, pilot, "submit")
        app.busy = True
        assert app.verdict() == "the interviewer reads your answer"
        app.busy = False

    held(act)


def test_a_paste_keeps_its_lines(held, work, script):
    """Several pasted lines are several lines of an answer."""

    async def act(app, pilot):
        await say(app, pilot, "start")
        (work / "interview.py").write_text(script.right, "utf-8")
        await pilot.press("f2")
        await settled(app, pilot)
        await to_a_free_question(app, pilot)
        app.query_one(Typed)._on_paste(events.Paste("one\r\n\r\ntwo\nthree"))
        await settled(app, pilot)

    led, shown = held(act)
    assert led.session.put.lines == ["one", "", "two"]
    assert shown[-2] == "three"


@pytest.mark.parametrize("size", [(40, 12), (60, 20), (120, 40)])
def test_resized(held, size):
    """Narrow or wide, the clock stays, and no row is longer than the screen."""

    async def act(app, pilot):
        await say(app, pilot, "start")
        await pilot.resize_terminal(*size)
        await settled(app, pilot)

    _, shown = held(act)
    assert len(shown) == size[1]
    assert "left 30:00" in shown[0]
    assert all(len(row) <= size[0] for row in shown)


def test_time_over(held, hands):
    """The clock ends it without a key, and Enter leaves."""

    async def act(app, pilot):
        await say(app, pilot, "start")
        hands.go_on(1801)
        app.look()
        await settled(app, pilot)
        assert "the interview is over; Enter shows the result" in " ".join(rows(app))
        await pilot.press("enter")

    led, _ = held(act)
    assert led.session.ended == "time"


def test_chinese(held):
    """The whole screen speaks Chinese."""

    async def act(app, pilot):
        await say(app, pilot, "start")

    _, shown = held(act, language="zh")
    assert shown[0].endswith("剩余 30:00")
    assert shown[-1].startswith("F1 帮助  F2 提交")
