"""Timing what has passed, beside the model answer and the fused kernel."""

import json
import math
import os
import time
from dataclasses import asdict

import pytest
import torch
from attn_kata.checker.candidate.stopwatch import Stopwatch
from attn_kata.checker.client import Options
from attn_kata.checker.judge import timing, yardstick
from attn_kata.checker.judge.draw import cases
from attn_kata.checker.judge.drawing import draw
from attn_kata.checker.judge.fused import fused_source
from attn_kata.checker.judge.yardstick import Prepare, Yardstick, others
from attn_kata.checker.report.report import Report
from attn_kata.checker.report.timings import LENGTHS, OTHERS, SIDES, Lap, Timings, against, row
from attn_kata.kata.catalogue import find, katas
from attn_kata.sentences.wording import sentence, worded
from hypothesis import given
from hypothesis import strategies as st

LADDER = [kata for kata in katas() if kata.promised is not None]
SECONDS = st.floats(1e-6, 10)


@pytest.fixture
def timed(bench, tmp_path):
    """Judge a source text, and time it where it has passed."""

    def run(kata, source, lengths=(64, 128), **options):
        path = tmp_path / "mine.py"
        path.write_text(source, "utf-8")
        report = worded(next(bench.judge(kata, [path], Options(seed=1, **options))), "en")
        report.bench = bench.timings(lengths)
        return report

    return run


def answer(root, kata):
    """A model answer's source."""
    return (root / "reference" / f"{kata}.py").read_text("utf-8")


def at_length(root, length, line):
    """A right answer to v1 that does something at one length."""
    first = "        query = self.query_proj(x)"
    found = answer(root, "v1").replace(
        first, f"        if x.shape[1] == {length}:\n            {line}\n{first}"
    )
    assert found != answer(root, "v1")
    return found


@given(st.lists(st.tuples(SECONDS, SECONDS), min_size=1, max_size=9))
def test_ratios_are_of_rounds(rounds):
    """A ratio is the median of the rounds' own ratios, between its quartiles."""
    mine, theirs = zip(*rounds, strict=True)
    found = against(mine, theirs, 600, 200)
    ratios = sorted(one / other for one, other in rounds)
    assert ratios[0] <= found.low <= found.time <= found.high <= ratios[-1]
    assert sum(one <= found.time * (1 + 1e-9) for one in ratios) * 2 >= len(ratios)
    assert found.memory == 3


def test_a_slow_moment_changes_little():
    """One round in which everything else came first is not what the row says."""
    mine = [1.0, 1.0, 50.0, 1.0, 1.0]
    found = against(mine, [2.0] * 5, 1, 1)
    assert (found.low, found.time, found.high) == (0.5, 0.5, 0.5)


def test_row_sums_up():
    """A row has the median seconds of every side, and no ratio of unknown memory."""
    seconds = {"yours": [3.0, 2.0, 4.0], "reference": [1.0, 1.0, 1.0], "fused": [0.5, 2.0, 0.5]}
    found = row(64, seconds, {"yours": None, "reference": 8, "fused": 0})
    assert {side: lap.seconds for side, lap in found.sides.items()} == {
        "yours": 3.0, "reference": 1.0, "fused": 0.5,
    }  # fmt: skip
    assert found.rounds == 3
    assert found.against["reference"].time == 3.0
    assert {found.against[other].memory for other in OTHERS} == {None}


def test_peak_counts_what_is_alive_at_once():
    """The most bytes of tensors alive at once, none of them from before the call."""
    before = torch.zeros(1000)

    def call():
        first = before + 1  # 4,000 bytes
        second = first.double()  # 8,000 more
        del first
        third = second[:250] + 0  # 2,000 more, when 4,000 are back
        return second, third

    most, events = Stopwatch(call, "cpu").peak()
    assert most is not None
    assert 12_000 <= most <= 12_100
    assert events >= 4


def test_a_call_that_waits_has_few_calls_a_lap():
    """It uses next to no processor time: a lap is not filled up with it for seconds."""
    watch = Stopwatch(lambda: time.sleep(0.1), "cpu")
    watch.settle()
    assert watch.calls <= 5


def test_peak_of_the_fused_kernel_is_linear():
    """Doubling the length doubles what the fused kernel takes and quadruples the model answer."""
    kata = next(kata for kata in katas() if kata.id == "mha")
    taken = {}
    for length in (256, 512):
        given = {"x": torch.randn(1, length, 32)}
        settings = {"hidden_dim": 32, "num_heads": 4, "dropout": 0}
        calls = others(kata, settings, [{kata.names[0]: given}], "cpu")
        taken[length] = {side: Stopwatch(call, "cpu").peak()[0] for side, call in calls.items()}
    growth = {side: taken[512][side] / taken[256][side] for side in OTHERS}
    assert growth["reference"] == pytest.approx(4, rel=0.1)
    assert growth["fused"] == pytest.approx(2, rel=0.2)


FUSED = [kata for kata in katas() if kata.fused]


@pytest.mark.parametrize("kata", FUSED, ids=[kata.id for kata in FUSED])
def test_fused_gives_what_functions_and_blocks_give(kata):
    """What is timed as the fused kernel computes the same, with masks and choices."""
    source = fused_source(kata)
    assert source is not None
    assert ".softmax(" not in source.partition("def rope")[0]
    function = next(f for f in kata.asked.functions if f.name in kata.timed or f.module)
    draws = torch.Generator().manual_seed(1)
    tried = 0
    for case in cases(function, kata.asked.sizes):
        square = case.sizes.get("Q") == case.sizes.get("K") or not case.chosen.get("causal")
        # The kernel takes a mask or `causal`; a row that shows nothing has no agreed answer.
        if (
            not square
            or case.gain > 1
            or case.shared
            or case.mask == "empty"
            or (case.mask and any(case.chosen.values()))
        ):
            continue
        drawn = draw(function, case, draws)
        floats = {n: v.float() if v.is_floating_point() else v for n, v in drawn.tensors.items()}
        calls = others(kata, drawn.settings, [{function.name: {**floats, **drawn.plain}}], "cpu")
        pairs = [call() for call in calls.values()]
        for right, mine in zip(*map(flat, pairs), strict=True):
            assert torch.allclose(right, mine, atol=1e-4)
        tried += 1
    assert tried > 3


def flat(result):
    """The tensors of a result, which may be a tuple of tuples."""
    return [one for part in result for one in flat(part)] if isinstance(result, tuple) else [result]


def test_only_after_a_pass(timed, root):
    """What fails, and what cannot be judged, is not timed."""
    wrong = answer(root, "v1").replace("softmax(dim=-1)", "softmax(dim=-2)")
    for source in (wrong, "x = 1\n"):
        report = timed("v1", source)
        assert report.verdict != "pass"
        assert report.bench.rows == []
        assert report.bench.stopped == "lost"


@pytest.mark.parametrize(
    ("line", "stopped", "words"),
    [
        ("raise ValueError('too\\nlong')", "raised", "raised ValueError: too"),
        ("__import__('os')._exit(3)", "ended", "its process ended"),
        ("torch = __import__('torch'); torch.empty(1 << 50)", "ended", "too much memory"),
        (
            "nn.functional.scaled_dot_product_attention(x, x, x)",
            "forbidden",
            "used F.scaled_dot_product_attention",
        ),
    ],
)
def test_what_happens_at_a_length_stays_there(timed, root, line, stopped, words):
    """The lengths before it have their rows, the row says what happened, the verdict stands."""
    report = timed("v1", at_length(root, 128, line))
    found = report.bench
    assert report.verdict == "pass"
    assert [one.length for one in found.rows] == [64]
    assert (found.at, found.stopped) == (128, stopped)
    assert words in sentence(found.message, "en")
    assert found.line == 25


def test_times_that_cannot_be_are_not_shown(timed, root):
    """A submission that stops its clock has no row: what it says is a claim, and is looked at."""
    stop = "__import__('sys').modules['attn_kata.checker.candidate.stopwatch']._now = float"
    found = timed("v1", at_length(root, 128, stop)).bench
    assert [one.length for one in found.rows] == [64]
    assert sentence(found.message, "en") == "reported impossible times"


def test_code_that_needs_a_mask_gets_one(timed, root):
    """Where forward takes no call without a mask, all three get one that hides nothing."""
    source = answer(root, "v3").replace(
        "attention_mask: Tensor | None = None", "attention_mask: Tensor"
    )
    assert source != answer(root, "v3")
    found = timed("v3", source.replace("if attention_mask is not None:", "if True:"), (64,)).bench
    assert found.masked
    assert found.rows[0].against["reference"].memory == pytest.approx(1, rel=0.02)


def test_ours_is_the_next_file(timed, root):
    """A submission that ends its process costs the judge nothing: the next one is judged."""
    timed("v1", at_length(root, 64, "__import__('os')._exit(3)"))
    report = timed("v1", answer(root, "v1"))
    assert report.verdict == "pass"
    assert report.bench.rows


def race(found, took=0.1, **held):
    """A race that has run so far."""
    one = object.__new__(timing._Race)
    one.found, one.took, one.begun = found, took, held.pop("begun")
    return one


@pytest.mark.parametrize(
    ("took", "taken", "memory", "stopped"),
    [
        (0.1, 1 << 20, 0, None),
        (60.0, 1 << 20, 0, "time"),
        (0.1, 1 << 29, 0, "memory"),
        (0.1, 1 << 26, 256 << 20, "memory"),
        (0.1, None, 256 << 20, None),
    ],
)
def test_the_next_length_is_judged_by_the_last(took, taken, memory, stopped):
    """No length is begun that would, growing as the square, exceed the time or the memory."""
    lap = {side: [1.0] * 9 for side in SIDES}
    found = Timings(rows=[row(512, lap, dict.fromkeys(SIDES, taken))])
    begun = timing.time.monotonic()
    assert race(found, took, begun=begun)._beyond(memory) == stopped


def test_no_length_before_the_first_is_too_long():
    """There is nothing to judge the first length by."""
    assert race(Timings(), begun=-math.inf)._beyond(1) is None


def test_a_report_with_timings_goes_through_json():
    """The key is there where something was timed, and only there."""
    plain = Report(kata="v1", file="a.py", verdict="pass")
    assert "bench" not in plain.to_dict()
    seconds = {side: [0.1, 0.2, 0.3] for side in SIDES}
    found = Timings(rows=[row(64, seconds, dict.fromkeys(SIDES, 8))], stopped="time", at=128)
    plain.bench = found
    there = json.loads(json.dumps(plain.to_dict()))
    assert Report.from_dict(there).bench == found
    assert set(there["bench"]["rows"][0]["sides"]["fused"]) == set(asdict(Lap(seconds=1)))


@pytest.mark.parametrize("device", ["cpu", "cpu:0"])
def test_the_yardstick(device):
    """It times the model answer, forked or (beside a GPU) in a Python of its own, and ends."""
    stick = Yardstick(find("drill-softmax"), device)
    try:
        stick.wait()
        calls = [{"softmax": {"x": torch.ones(2, 3, 4)}}]
        ready = stick.ask(Prepare(settings={}, calls=calls), time.monotonic() + 60)
        lap = stick.ask(yardstick.Lap(side="reference"), time.monotonic() + 60)
        assert min(ready.sides["reference"].seconds, lap.seconds) > 0
    finally:
        stick.close()
    with pytest.raises(ProcessLookupError):
        os.kill(stick.pid, 0)


@pytest.mark.cuda
def test_on_cuda(timed, root):
    """On a GPU the times are the GPU's and the memory is torch's own count."""
    found = timed("mha", answer(root, "mha"), LENGTHS, device="cuda").bench
    assert found.device == "cuda"
    assert found.name
    assert found.rows[-1].length >= 1024
    assert all(lap.seconds > 0 for one in found.rows for lap in one.sides.values())
    assert found.rows[-1].against["reference"].memory == pytest.approx(1, rel=0.1)
    assert found.rows[-1].against["fused"].memory > 4
