"""Timings on the screen."""

import os
from pathlib import Path

import pytest
from attn_kata.checker.report.timings import SIDES, Against, Timings, row
from attn_kata.terminal.text import cells, written
from attn_kata.terminal.timings import bars, multiple, size, spread, time, timings_lines

GOLDEN = Path(__file__).parent / "golden"
WRITE = "REGENERATE_GOLDEN"
LENGTHS = (64, 128, 256, 512, 1024, 2048)


def timings(count=6, known=True, sizes=None, **more):
    """So many lengths: the submission as the model answer does, the fused kernel in half."""
    rows = []
    for place, length in enumerate(LENGTHS[:count]):
        slow = 2.5e-4 * 3**place
        seconds = {
            "yours": [slow, 1.1 * slow, 1.2 * slow, 4 * slow],
            "reference": [slow] * 4,
            "fused": [slow / 1.4**place] * 4,
        }
        taken = {"yours": 3e5 * 4**place, "reference": 4e5 * 4**place, "fused": 1.6e5 * 2**place}
        rows.append(row(length, seconds, {side: int(taken[side]) for side in SIDES}))
        if not known:
            rows[-1] = row(length, seconds, dict.fromkeys(SIDES))
    sizes = sizes or {"batch": 1, "hidden_dim": 128, "heads": 4}
    return Timings(hidden_dim=128, heads=4, rows=rows, sizes=sizes, **more)


def text(one, language="en", width=80):
    """Draw timings as text."""
    return "".join(f"{written(line)}\n" for line in timings_lines(one, language, width))


@pytest.mark.parametrize("width", [80, 60, 30])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_screen_is_the_stored_one(language, width):
    """The screens are drawn as they were when a person last looked at them."""
    file = GOLDEN / f"timings.{language}.{width}.txt"
    now = text(timings(5, stopped="memory", at=2048), language, width)
    if os.environ.get(WRITE):
        file.write_text(now, "utf-8")
    assert now == file.read_text("utf-8"), f"if this is better: {WRITE}=1 pytest {__file__}"
    assert all(cells(line) <= width for line in now.splitlines())


def test_what_was_called_is_said():
    """Functions by their names, sizes by those of axes, no cache, and what grows."""
    sizes = {"batch": 1, "heads": 4}
    grows = ["query_length", "key_length"]
    told = text(timings(2, functions=["one", "two"], sizes=sizes, grows=grows), width=200)
    assert "`one`, `two`, called one after another, float32, 1 thread: batch 1, heads 4; " in told
    assert "what grows is query_length, key_length" in told
    assert "without a cache" in text(timings(2, whole=True), width=200)


def test_without_a_fused_kernel_there_are_two_sides():
    """The table, the plot and the sentence above them leave the fused kernel out."""
    one = timings(3, fused=False)
    for each in one.rows:
        del each.sides["fused"], each.against["fused"]
    told = text(one, width=200)
    assert "does not compute this" in told
    assert "fused kernel" not in told
    assert "model answer  ▁" in told


@pytest.mark.parametrize("width", range(28, 100, 3))
@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_width(language, width):
    """Whatever the width, nothing is wider, and the fused kernel's multiples are there."""
    ended = timings(stopped="raised", at=4096, message="raised ValueError: no", line=3)
    now = text(ended, language, width)
    assert all(cells(line) <= width for line in now.splitlines())
    assert "ValueError" in now
    # At length 2048: 0.3 MB · 4⁵ over 0.16 MB · 2⁵.
    assert "60 ×" in now


def test_columns_stand_below_each_other():
    """All rows of the table are equally wide."""
    lines = text(timings()).splitlines()
    body = [line for line in lines if line.strip().split(" ")[0].isdigit()]
    assert len(body) == 6
    assert len({len(line.rstrip()) for line in body}) == 1


def test_why_there_is_no_longer_one():
    """The row of the length that is missing says why, with the line where there is one."""
    shown = text(timings(2, stopped="ended", at=256, message="its process ended", line=9))
    assert "     256  line 9: its process ended" in shown
    assert "would take too long" in text(timings(2, stopped="time", at=256))
    assert "too much memory" in text(timings(2, stopped="memory", at=256))


def test_nothing_was_timed():
    """Without a single length it says what happened, and draws no empty table."""
    shown = text(timings(0, stopped="lost"))
    assert "the verdict stands" in shown
    assert "length  " not in shown


def test_unknown_memory_is_a_dash():
    """Memory that was not measured is neither nothing nor a number."""
    shown = text(timings(3, known=False))
    assert "–" in shown
    assert "MB" not in shown


def test_what_a_message_says_moves_no_cursor():
    """A submission's words are text."""
    shown = text(timings(1, stopped="raised", at=128, message="raised E: \x1b[2J[bold]", line=1))
    assert "\\x1b[2J[bold]" in shown


def test_a_gpu_has_its_name():
    """On CUDA the GPU is named, and the times are its own."""
    shown = text(timings(device="cuda", name="NVIDIA H100"))
    assert "NVIDIA H100" in shown
    assert "thread" not in shown
    assert "the GPU's time" in shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (1.04, "1.0 ×"),
        (1.06, "1.1 ×"),
        (9.94, "9.9 ×"),
        (9.96, "10 ×"),
        (39.6, "40 ×"),
        (None, "–"),
    ],
)
def test_no_more_digits_than_were_measured(value, shown):
    """A ratio has two digits."""
    assert multiple(value) == shown


def test_spread_times_and_sizes():
    """Quartiles, times and sizes keep two digits or three."""
    assert spread(Against(time=1, low=0.94, high=12.3)) == "(0.9–12)"
    assert [time(one) for one in (2.5e-4, 0.0042, 0.1234, 1.5)] == [
        "0.25 ms", "4.2 ms", "123 ms", "1.5 s",
    ]  # fmt: skip
    assert [size(one) for one in (163840, 2_800_000, 207_618_048, None)] == [
        "0.16 MB", "2.8 MB", "208 MB", "–",
    ]  # fmt: skip


def test_bars_are_logarithmic():
    """Equal ratios are equal steps; what is not known is dots."""
    assert bars([1, 2, 4, 8, 16, 32, 64, 128], 1, 128) == "▁▁▂▂▃▃▄▄▅▅▆▆▇▇██"
    assert bars([None, 1], 1, 1) == "··▁▁"
