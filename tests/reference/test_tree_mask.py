"""Tree attention is what decoding gives each drafted token behind the prefix and its own branch."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from attn_kata.reference.tree_mask import tree_attention, tree_mask

BACK = torch.tensor([1, 1, 2, 2, 2, 7])
BRANCHES = [[0], [0, 1], [0, 2], [0, 1, 3], [0, 2, 4], [5]]


def test_branches():
    """A row has a token's own branch, and a parent below -1 is none as well."""
    assert [row.nonzero().flatten().tolist() for row in tree_mask(BACK)] == BRANCHES


def test_torch_agrees():
    """In float64: the last query of causal attention over the prefix and one branch."""
    draws = torch.Generator().manual_seed(0)
    query = torch.randn(2, 3, 6, 5, generator=draws, dtype=torch.float64)
    key, value = torch.randn(2, 2, 3, 10, 5, generator=draws, dtype=torch.float64)
    mine = tree_attention(query, key, value, BACK)
    for token, branch in enumerate(BRANCHES):
        kept = [0, 1, 2, 3, *(4 + one for one in branch)]
        torchs = F.scaled_dot_product_attention(
            query[..., token : token + 1, :], key[..., kept, :], value[..., kept, :]
        )
        torch.testing.assert_close(mine[..., token : token + 1, :], torchs, rtol=0, atol=1e-12)
