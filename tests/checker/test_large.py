"""Sizes as people use them: what is right up to some size alone is wrong, whatever its kata."""

from __future__ import annotations

from pathlib import Path

import pytest
from attn_kata.checker.client import Options
from attn_kata.checker.judge.draw import cases
from attn_kata.kata.catalogue import find, katas
from attn_kata.kata.reading import BadContract
from attn_kata.kata.sizes import read_sizes
from attn_kata.kata.slips import edited, slips
from attn_kata.sentences.wording import worded

CORPUS = Path(__file__).parent.parent / "corpus"
_DIRECT = [kata.id for kata in katas()]


STACKED = [
    (kata.id, edited(slip.edits[0], kata.solution()))
    for kata in katas() for slip in slips(kata.folder)
    if slip.id == "softmax-unstable" and kata.id in {"v2", "causal", "gqa"}
]  # fmt: skip


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("kata", "source"), STACKED, ids=[kata for kata, _ in STACKED])
def test_scores_are_large_whatever_is_drawn(bench, tmp_path, kata, source, seed):
    """A matrix that stacks several layers makes scores as large as they make one by one."""
    path = tmp_path / "mine.py"
    path.write_text(source)
    report = worded(next(bench.judge(kata, [path], Options(seed=seed))), "en")
    assert [one.mistake for one in report.diagnosis] == ["softmax-unstable"]


@pytest.mark.costly
def test_scores_that_are_cut_off_do_not_overflow(judged):
    """What is wrong with large scores and finite is no overflow: it has its own name."""
    scaled = "products / math.sqrt(self.head_dim)"
    report = judged("mha", find("mha").solution().replace(scaled, f"({scaled}).clamp(-50, 50)"))
    assert [one.id for one in report.checks if one.status == "fail"] == ["stability"]
    assert [one.mistake for one in report.diagnosis] == ["scores-clamped"]


def test_a_fill_that_asks_for_the_dtype_fits(judged):
    """A number that float16 cannot hold is remarked on where it is used in float16 alone."""
    filled = "masked_fill(attention_mask == 0, FILL)"
    source = find("gqa").solution().replace("masked_fill(attention_mask == 0, lowest)", filled)
    asking = "-1e9 if scores.dtype != torch.float16 else -6e4"
    for fill, remarked in (("-1e9", True), (asking, False)):
        remarks = judged("gqa", source.replace("FILL", fill)).remarks
        assert ("fill-overflows-half" in {one.id for one in remarks}) is remarked


@pytest.mark.parametrize("kata", _DIRECT)
def test_a_size_beyond_256_is_tried(kata):
    """Every kata has one size beyond 256, as cheap as the others of it allow."""
    sizes = find(kata).asked.sizes
    rows = list(sizes.large_rows())
    assert any(max(row[symbol] for symbol in sizes.values) > 256 for row in rows)
    assert any(next(row[name] for name in "BRH" if name in row) == 1 for row in rows)


def test_a_long_sequence_is_not_tried_twice():
    """Where a cache goes from call to call the long case is a sequence, and no call alone."""
    kata = find("kvcache")
    function = kata.asked.functions[0]
    alone = [case for case in cases(function, kata.asked.sizes) if case.large]
    assert [case.sizes["T"] for case in alone] == [6]


def test_large_sizes_are_of_those_that_there_are():
    """A large row speaks of sizes that are tried otherwise too, and of none that is worked out."""
    with pytest.raises(BadContract, match="speaks of Z"):
        read_sizes({"T": [2, 1]}, {"T": "length"}, [{"Z": 300}])


def test_autograd_that_a_file_turns_off(judged):
    """Whoever imports a file has autograd as the file leaves it."""
    source = find("sdpa").solution() + "\ntorch.set_grad_enabled(False)\n"
    report = judged("sdpa", source)
    failed = [check.id for check in report.checks if check.status == "fail"]
    assert failed == ["gradients"]
    last = len(source.splitlines())
    assert [(one.mistake, one.line) for one in report.diagnosis] == [("detached", last)]


def test_a_longest_length_is_set_for_long_inputs(judged):
    """An argument with a default that says how long sequences may be is given, and a global too."""
    source = find("kvcache").solution()
    source = source.replace("num_heads: int)", "num_heads: int, max_len: int = 32)")
    table = "\n        self.table = torch.ones(max_len, max_len).tril()"
    source = source.replace(
        "\n        self.num_heads = num_heads", table + "\n        self.num_heads = num_heads"
    )
    seen = "seen = self.table[key_length - length : key_length, :key_length].to(x)"
    source = source.replace("seen = square.tril(diagonal=key_length - length)", seen)
    assert judged("kvcache", source, device="cpu").verdict == "pass"


@pytest.mark.costly
@pytest.mark.parametrize("seed", range(4))
def test_a_cache_that_forgets_what_is_beyond_256_is_wrong(bench, seed):
    """Four keys of 261 are gone, and a share of their weight: no rounding makes as much."""
    path = CORPUS / "wrong" / "kvcache_length-fixed_window.py"
    report = next(bench.judge("kvcache", [path], Options(seed=seed)))
    assert report.verdict == "fail"
