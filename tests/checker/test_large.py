"""Sizes as people use them: what is right up to some size alone is wrong, whatever its kata."""

from __future__ import annotations

import pytest
from attn_kata.checker.judge.draw import cases
from attn_kata.kata.catalogue import find, katas
from attn_kata.kata.functions import BadContract
from attn_kata.kata.sizes import read_sizes

_DIRECT = [kata.id for kata in katas()]


@pytest.mark.parametrize("kata", _DIRECT)
def test_a_size_beyond_256_is_tried(kata):
    """Every kata has one size beyond 256, as cheap as the others of it allow."""
    sizes = find(kata).asked.sizes
    rows = list(sizes.large_rows())
    assert any(max(row[symbol] for symbol in sizes.values) > 256 for row in rows)
    assert any(row["B"] == 1 for row in rows)


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
