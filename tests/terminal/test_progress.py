"""The history and what is due, as they are drawn."""

import pytest
from attn_kata.kata.catalogue import find, katas
from attn_kata.practice.clock import DAY, now
from attn_kata.practice.history import Attempt, Event
from attn_kata.practice.schedule import due, standings
from attn_kata.practice.sittings import sittings
from attn_kata.practice.summary import summary
from attn_kata.terminal.ladder import kata_lines
from attn_kata.terminal.progress import (
    due_lines,
    history_lines,
    kata_history_lines,
    nothing_due_lines,
    plot,
)
from attn_kata.terminal.text import cells, written
from attn_kata.terminal.times import duration, in_days


def told():
    """A person who has been at it for a month, clumsily."""
    story = []
    for number, kata in enumerate(("v1", "v2", "mha", "v1", "causal")):
        time = now() - (30 - 6 * number) * DAY
        story.append(Event(kata=kata, kind="start", time=time))
        for step, verdict in enumerate(("fail", "error", "pass")):
            if (kata, verdict) == ("causal", "pass"):
                continue
            story.append(
                Attempt(
                    kata=kata, file=f"/home/[bold]/{kata}\n.py", verdict=verdict,
                    mistakes=("heads-merge-without-transpose",) if verdict == "fail" else (),
                    elapsed_ms=100, seed=1, source_hash=f"{number}{step}",
                    time=time + 200 * (step + 1),
                )
            )  # fmt: skip
    return story


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("width", [80, 40, 24])
def test_fits_the_screen(language, width):
    """Every line fits, in either language, wide or narrow; commands may stand out."""
    story = told()
    screens = [
        history_lines(summary(story), language, width),
        history_lines(summary([]), language, width),
        kata_history_lines(find("v1"), summary(story, "v1"), language, width),
        kata_history_lines(find("v3"), summary(story, "v3"), language, width),
        due_lines(due(sittings(story)), language, width),
        nothing_due_lines(standings([]), katas()[0], language, width),
        kata_lines(katas(), standings(sittings(story)), language, width),
    ]
    for lines in screens:
        assert lines
        for line in lines:
            assert "\n" not in written(line)
            assert "{" not in written(line)
            if "attn-kata" not in written(line):
                assert cells(written(line)) <= max(width, 32), written(line)


def test_what_is_said():
    """The figures stand where a person looks for them."""
    story = told()
    text = "\n".join(map(written, history_lines(summary(story), "en", 80)))
    assert " ".join(text.split()).startswith(
        f"3 of {len(katas())} katas passed; 14 checks, 4 passed; "
    )
    assert "heads-merge-without-transpose" in text
    listed = "\n".join(map(written, due_lines(due(sittings(story)), "en", 80)))
    assert "chance that you would get it right" in listed
    assert "in 5 sittings, most recently in this kata" in " ".join(listed.split())


@pytest.mark.parametrize(
    ("counts", "wanted"),
    [((), ""), ((0, 0), "··"), ((0, 1, 0), "·█·"), ((1, 8), "▂█"), ((4, 4), "██")],
)
def test_plot(counts, wanted):
    """Nothing is a dot, something is never nothing, the most is full."""
    assert plot(counts) == wanted


def test_times_in_words():
    """As one says them."""
    said = [duration(seconds, "en") for seconds in (0.2, 59, 60, 3599, 3900)]
    assert said == ["1 s", "59 s", "1 min", "1 h 0 min", "1 h 5 min"]
    assert [in_days(now() + days * DAY, "en") for days in (-3, 0, 1, 5)] == [
        "today", "today", "tomorrow", "in 5 days",
    ]  # fmt: skip
