"""Which number in a parameter's name counts the blocks."""

from __future__ import annotations

import pytest
from attn_kata.checker.judge.weights.parameter_names import block_of
from attn_kata.checker.judge.weights.stacked import counted
from attn_kata.kata.catalogue import find

MODULE = find("minigpt").asked.functions[0].module
LAYERS = MODULE.layers if MODULE is not None else ()
TOLD = {
    "010101": ["p.g1_0", "p.g1_1", "p.g2_0", "p.g2_1", "p.qkv_0", "p.qkv_1", "p.tok"],
    "0101": ["g1_1", "g1_2", "qkv_1", "qkv_2"],
    "000111": ["h0_ln1", "h0_ln2", "h0_fc1", "h1_ln1", "h1_ln2", "h1_fc1", "wte"],
    "0011": ["wq0", "norm1_0.weight", "wq1", "norm1_1.weight", "norm.weight"],
    "01": ["w.q.layer0", "norms.first.0.weight", "w.q.layer1"],
    "00001111": [f"blocks.{n}.norms.{m}" for n in range(2) for m in range(4)],
}


@pytest.mark.parametrize("blocks", TOLD)
def test_the_number_of_a_block_is_found_wherever_it_stands(blocks):
    """Before all of a name or behind it, and what has none is left as it is."""
    told = counted(TOLD[blocks], LAYERS)
    assert [told[name][0] for name in TOLD[blocks] if name in told] == [*blocks]
    assert all(block_of(other) for other in told.values())


@pytest.mark.parametrize(
    "names",
    [
        ["ln1_w", "ln2_w", "w_q", "w_k", "fc1", "fc2"],
        [f"theta.{n}" for n in range(28)],
        ["heads.0.q", "heads.1.q", "heads.2.q"],
    ],
)
def test_a_number_that_says_which_layer_it_is_counts_no_blocks(names):
    """Nor does one that counts something else, as heads do."""
    assert counted(names, LAYERS) == {}
