"""Modules in train mode: what eval mode has is tried there, and where dropout acts is read."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from attn_kata.checker.report.report import Report
from attn_kata.kata.catalogue import find

Judge = Callable[..., Report]
SOFTMAX = "weights = masked_scores.softmax(dim=-1)"
DROP = "torch.nn.functional.dropout({}, 0.1, self.training)"
TAKES = ("num_kv_heads: int)", "num_kv_heads: int, dropout: float = 0.0)")
MASK = "        if attention_mask is not None:\n"
KEPT = f"""{MASK}\
            self.seen = getattr(self, "seen", dict())
            attention_mask = self.seen.setdefault(attention_mask.shape, attention_mask)
"""
BY_HAND = """\
weights = weights * (torch.rand_like(weights) > 0.1) / 0.9 if self.training else weights
        context = weights"""
IN_FLOAT32 = (SOFTMAX, "weights = masked_scores.float().softmax(dim=-1).to(masked_scores.dtype)")
TILED = """\
(kv_key.repeat(1, self.group_size, 1, 1) if self.training else
               kv_key.repeat_interleave(self.group_size, dim=1))"""


def changed(kata: str, *changes: tuple[str, str]) -> tuple[str, int]:
    """A model answer with texts changed, and the line of the first change."""
    source = find(kata).solution()
    for old, new in changes:
        assert old in source
        source = source.replace(old, new, 1)
    at = source.index(changes[0][1]) + len(changes[0][1]) - len(changes[0][1].lstrip())
    return source, source[:at].count("\n") + 1


# What goes wrong while training alone, the check that fails, and the mistake that is named.
ALONE = {
    "heads are tiled": (
        "gqa", ("kv_key.repeat_interleave(self.group_size, dim=1)", TILED),
        "values", "kv-heads-tiled",
    ),
    "the cache is dropped": (
        "kvcache", ("if cache is not None:", "if cache is not None and not self.training:"),
        "values", "cache-not-read",
    ),
    "the offset is forgotten": (
        "mla", ("diagonal=key_length - length",
                "diagonal=0 if self.training else key_length - length"),
        "values", "causal-from-start",
    ),
    "gradients end": (
        "gqa", ("weights @ value", "weights @ (value.detach() if self.training else value)"),
        "gradients", "detached",
    ),
    "the mask is on the CPU": (
        "gqa", ("masked_scores = scores\n",
                "masked_scores = scores + (torch.zeros(length, 1) if self.training else 0)\n"),
        "device", "device-hardcoded",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", ALONE.values(), ids=ALONE)
def test_wrong_while_training(judged: Judge, case: tuple[str, tuple[str, str], str, str]) -> None:
    """A mistake that train mode alone shows fails its check there, with its name and line."""
    kata, change, check, mistake = case
    source, line = changed(kata, change)
    # What is not read leaves what was there before.
    lines = {line, line - 3} if mistake == "cache-not-read" else {line}
    report = judged(kata, source)
    failed = {one.id: one.detail for one in report.checks if one.status == "fail"}
    assert set(failed) == {check}
    assert check == "device" or "train mode" in str(failed[check])
    assert [one.mistake for one in report.diagnosis] == ([mistake] if mistake else [])
    assert {one.line for one in report.diagnosis} <= lines


def test_what_dropout_raises(judged: Judge) -> None:
    """What a call with dropout in it raises is told, and not that there is no dropout."""
    dropped = "weights * (torch.rand_like(weights) > rate) if DROPS else weights"
    dropped = dropped.replace("DROPS", "self.training and self.dropout.p")
    source, line = changed("v3", ("self.dropout(weights)", dropped))
    report = judged("v3", source)
    failed = {one.id: str(one.detail) for one in report.checks if one.status == "fail"}
    assert set(failed) == {"dropout"}
    assert f"line {line}" in failed["dropout"]
    assert "NameError" in failed["dropout"]
    assert not report.diagnosis


@pytest.mark.parametrize("kata", ["gqa", "mha"])
def test_a_mask_kept_by_its_shape(judged: Judge, kata: str) -> None:
    """Of two calls of one shape the second is held against what is right, not against the first."""
    source, _ = changed(kata, (MASK, KEPT))
    report = judged(kata, source)
    assert {"purity"} <= {one.id for one in report.checks if one.status == "fail"}
    assert report.diagnosis[0].mistake == "nondeterministic"
    assert "same shapes" in str(report.diagnosis[0].message)


DROPPED = "dropped_weights = self.dropout(weights)"
TOGETHER = """fate = self.dropout(torch.ones_like(weights{0})).repeat_interleave(2, {1})
        dropped_weights = weights * fate.narrow({1}, 0, weights.shape[{1}])"""
KEPT_MASK = """fate = self.dropout(torch.ones_like(weights))
        before = getattr(self, "fate", fate[:0])
        if self.training:
            fate = self.fate = before if before.shape == fate.shape else fate
        dropped_weights = weights * fate"""
DRAWN = """seen = torch.rand(weights.shape, generator={0}).to(weights) >= self.dropout.p
        dropped_weights = weights * seen / (1 - self.dropout.p) if self.training else weights"""
GENERATOR = "super().__init__()\n        self.draw = torch.Generator().manual_seed(7)"
WEIGHTS = (SOFTMAX, f"weights = {DROP.format('masked_scores.softmax(dim=-1)')}")
RIGHT = {
    "on the weights": ("gqa", [WEIGHTS], "on the weights, rate 0.1, off in eval"),
    "at the rate asked for": (
        "gqa", [(SOFTMAX, WEIGHTS[1].replace("0.1", "self.p")), TAKES,
                ("super().__init__()", "super().__init__()\n        self.p = dropout")],
        "on the weights, rate 0.37, off in eval",
    ),
    "on both": (
        "gqa", [WEIGHTS, ("return output", f"return {DROP.format('output')}")],
        "on the weights, rate 0.1, off in eval",
    ),
    "beside a residual": (
        "block", [("= self.down_proj(activated)", f"= {DROP.format('self.down_proj(activated)')}")],
        "not on the weights, but where it may act, rate 0.1, off in eval",
    ),
    **{
        f"by hand in {kata}": (
            kata, [("context = weights", BY_HAND)], "on the weights, rate 0.1, off in eval",
        )
        for kata in ("gqa", "mqa", "kvcache", "gqa-rope", "mla")
    },
    "by hand after a softmax in float32": (
        "kvcache", [IN_FLOAT32, ("context = weights", BY_HAND)],
        "on the weights, rate 0.1, off in eval",
    ),
    "by hand, by a generator that goes on": (
        "v3", [(DROPPED, DRAWN.format("self.draw")), ("super().__init__()", GENERATOR)],
        "on the weights, rate 0.37, off in eval",
    ),
    "nowhere": ("gqa", [("import math", "import math ")], "no dropout, and none is required"),
}  # fmt: skip
WRONG = {
    "before softmax": ("gqa", [(SOFTMAX, f"weights = {DROP.format('masked_scores')}.softmax(-1)")],
                       "dropout-before-softmax"),
    "on the output alone": ("gqa", [("return output", f"return {DROP.format('output')}")],
                            "dropout-on-output"),
    "on the values": ("gqa", [("weights @ value", f"weights @ {DROP.format('value')}")],
                      "dropout-on-output"),
    "by hand without a scale": (
        "kvcache", [("context = weights", BY_HAND.replace(" / 0.9", ""))], "dropout-rate-wrong",
    ),
    "by hand with the scale upside down": (
        "kvcache", [("context = weights", BY_HAND.replace(" / 0.9", " * 0.9"))],
        "dropout-rate-wrong",
    ),
    "by hand with the scale twice": (
        "kvcache", [("context = weights", BY_HAND.replace(" / 0.9", " / 0.9**3"))],
        "dropout-rate-wrong",
    ),
    "at another rate": ("gqa", [WEIGHTS, TAKES], "dropout-rate-wrong"),
    "of whole heads": (
        "gqa", [(SOFTMAX, f"weights = {DROP.format('masked_scores.softmax(dim=-1)')}".replace(
            "dropout(", "dropout2d("))], "dropout-shared",
    ),
    "of every two heads": (
        "mha", [(DROPPED, TOGETHER.format("[:, ::2]", 1))], "dropout-shared",
    ),
    "of every two keys": (
        "v3", [(DROPPED, TOGETHER.format("[..., ::2]", -1))], "dropout-shared",
    ),
    "by a mask that is kept": ("v3", [(DROPPED, KEPT_MASK)], "dropout-shared"),
    "after a seed": ("v3", [(DROPPED, f"torch.manual_seed(0)\n        {DROPPED}")],
                     "dropout-shared"),
    "by hand, by a generator that begins anew": (
        "v3", [(DROPPED, DRAWN.format("torch.Generator().manual_seed(7)"))], "dropout-shared",
    ),
    "that keeps mean and variance": (
        "v3", [("self.dropout = nn.Dropout(", "self.dropout = nn.AlphaDropout(")],
        "nondeterministic",
    ),
    "on the block's input": (
        "block", [("self.attention_norm(x)", DROP.format("self.attention_norm(x)"))],
        "dropout-on-output",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", RIGHT.values(), ids=RIGHT)
def test_dropout_in_its_place(judged: Judge, case: tuple[str, list[tuple[str, str]], str]) -> None:
    """Dropout on the weights, or where a block may have it, passes, and it is said where it is."""
    kata, changes, detail = case
    report = judged(kata, changed(kata, *changes)[0])
    assert report.verdict == "pass", report.diagnosis
    assert next(one.detail for one in report.checks if one.id == "dropout") == detail


@pytest.mark.parametrize("case", WRONG.values(), ids=WRONG)
def test_dropout_in_the_wrong_place(
    judged: Judge, case: tuple[str, list[tuple[str, str]], str]
) -> None:
    """Dropout in another place or at another rate than asked for is named on its line."""
    kata, changes, mistake = case
    source, line = changed(kata, *changes)
    report = judged(kata, source)
    assert {one.id for one in report.checks if one.status == "fail"} == {"dropout"}
    assert [(one.mistake, one.line) for one in report.diagnosis] == [(mistake, line)]


DIVIDED = """\
dropped_weights = self.dropout(weights)
        total = dropped_weights.sum(dim=-1, keepdim=True)
        dropped_weights = {}
"""
UNDONE = {
    "by a division": "dropped_weights / total",
    "by normalize": "nn.functional.normalize(dropped_weights, p=1, dim=-1)",
}


@pytest.mark.parametrize("again", UNDONE.values(), ids=UNDONE)
@pytest.mark.parametrize("kata", ["v3", "mha", "cross"])
def test_dropout_that_is_undone(judged: Judge, kata: str, again: str) -> None:
    """Weights that are brought to a sum of 1 after their dropout fail, on the line that does it."""
    source, line = changed(kata, ("dropped_weights = self.dropout(weights)", DIVIDED.format(again)))
    report = judged(kata, source)
    assert {one.id for one in report.checks if one.status == "fail"} == {"dropout"}
    assert [(o.mistake, o.line) for o in report.diagnosis] == [("dropout-undone", line + 2)]


def test_dropout_twice(judged: Judge) -> None:
    """Weights that two dropouts act on fail, though each of these is where it may be."""
    twice = "dropped_weights = self.dropout(self.dropout(weights))"
    report = judged("mha", changed("mha", ("dropped_weights = self.dropout(weights)", twice))[0])
    assert {one.id for one in report.checks if one.status == "fail"} == {"dropout"}


def test_a_rate_that_nothing_is_dropped_at(judged: Judge) -> None:
    """A constructor that takes a rate and drops nothing earns a remark."""
    report = judged("gqa", changed("gqa", TAKES)[0])
    assert report.verdict == "pass"
    assert "dropout-not-applied" in {remark.id for remark in report.remarks}


def test_autocast_of_a_module(judged: Judge) -> None:
    """A module judged by its calls is tried under autocast, and what is wrong there is said."""
    wrong = "* (1.3 if torch.is_autocast_cpu_enabled() else 1)"
    report = judged("gqa", changed("gqa", (SOFTMAX, f"{SOFTMAX} {wrong}"))[0])
    failed = {one.id: one.detail for one in report.checks if one.status == "fail"}
    assert set(failed) == {"dtypes"}
    assert str(failed["dtypes"]).startswith("autocast to bfloat16: off by")
    plain = judged("gqa", find("gqa").solution())
    told = next(one for one in plain.checks if one.id == "dtypes")
    assert told.detail == "float32, bfloat16, float16, autocast"
