"""Verifying a tree of drafted tokens in one pass (SpecInfer, Miao et al. 2023).

Medusa (Cai et al. 2024) drafts with one tree for all sequences, as here.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn


def tree_mask(back: Tensor) -> Tensor:
    """Which drafted token may see which, (drafted, drafted) booleans: its ancestors and itself.

    back is (drafted,), whole numbers from 1 up: token i's parent is token i − back[i], and where
    that is below 0, it has none among the drafted ones.
    """
    count = len(back)
    parents = torch.arange(count, device=back.device) - back  # (drafted,)
    seen = torch.eye(count, dtype=torch.bool, device=back.device)  # (drafted, drafted)
    # Parents come before their children, so that a parent's row is whole by then.
    for token, parent in enumerate(parents.tolist()):
        if parent >= 0:
            seen[token] |= seen[parent]
    return seen


def tree_attention(query: Tensor, key: Tensor, value: Tensor, back: Tensor) -> Tensor:
    """Attend from all drafted tokens at once, each to the prefix, its ancestors and itself.

    query is (batch, heads, drafted, head_dim), key and value (batch, heads, key_length,
    head_dim) with the drafted tokens' behind the prefix's, any float dtype. Returns (batch,
    heads, drafted, head_dim).
    """
    head_dim = query.shape[-1]
    prefix = key.shape[-2] - query.shape[-2]
    branch = tree_mask(back)  # (drafted, drafted)
    allowed = nn.functional.pad(branch, (prefix, 0), value=True)  # (drafted, key_length)
    products = query @ key.mT
    scores = products / math.sqrt(head_dim)
    masked_scores = scores.masked_fill(~allowed, float("-inf"))
    weights = masked_scores.softmax(dim=-1)
    context = weights @ value  # (batch, heads, drafted, head_dim)
    return context
