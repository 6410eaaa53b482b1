"""The attention module gives what `nn.MultiheadAttention` gives, masks, weights and all."""

from __future__ import annotations

import pytest
import torch
from attn_kata.reference.attention_module import MultiheadAttention
from torch import Tensor, nn


@pytest.mark.parametrize("average", [True, False])
@pytest.mark.parametrize("form", ["none", "bool", "float", "heads"])
@pytest.mark.parametrize("padded", [True, False])
def test_torch_agrees(average: bool, form: str, padded: bool) -> None:
    """In float64, with each form of both masks."""
    torch.manual_seed(0)
    mine = MultiheadAttention(12, 3).double()
    theirs = nn.MultiheadAttention(12, 3, batch_first=True).double()
    parts = (mine.query_proj, mine.key_proj, mine.value_proj)
    state = {
        "in_proj_weight": torch.cat([part.weight for part in parts]),
        "in_proj_bias": torch.cat([part.bias for part in parts]),
        "out_proj.weight": mine.output_proj.weight,
        "out_proj.bias": mine.output_proj.bias,
    }
    theirs.load_state_dict(state)
    query, key, value = (torch.randn(2, n, 12, dtype=torch.float64) for n in (5, 7, 7))
    later = torch.ones(5, 7, dtype=torch.bool).triu(1)
    masks: dict[str, Tensor | None] = {
        "none": None,
        "bool": later,
        "float": torch.randn(5, 7, dtype=torch.float64).masked_fill(later, float("-inf")),
        "heads": (torch.rand(6, 5, 7) < 0.4).index_fill(2, torch.tensor([0]), value=False),
    }
    padding = torch.arange(7) >= torch.tensor([4, 7])[:, None] if padded else None
    # torch warns where a bool mask and one of floats meet.
    if form == "float" and padding is not None:
        added = torch.zeros(2, 7, dtype=torch.float64).masked_fill(padding, float("-inf"))
    else:
        added = padding
    asked = {"attn_mask": masks[form], "average_attn_weights": average}
    right = theirs(query, key, value, key_padding_mask=added, **asked)
    found = mine(query, key, value, key_padding_mask=padding, **asked)
    torch.testing.assert_close(found, right, rtol=0, atol=1e-12)


def test_no_weights() -> None:
    """Where none are asked for None stands beside the output."""
    module, x = MultiheadAttention(8, 2), torch.randn(2, 3, 8)
    output, weights = module(x, x, x, need_weights=False)
    assert weights is None
    assert output.shape == x.shape
