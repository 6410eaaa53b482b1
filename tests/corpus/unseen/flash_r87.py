from __future__ import annotations

import math

import torch
from torch import Tensor


def _tile(query: Tensor, key: Tensor, value: Tensor, hidden: Tensor | None) -> tuple[Tensor, Tensor]:
    scores = query @ key.mT
    if hidden is not None:
        scores = scores.masked_fill(hidden, -math.inf)
    lse = torch.logsumexp(scores, dim=-1, keepdim=True)
    share = torch.exp(scores - lse.masked_fill(lse == -math.inf, 0))
    return share @ value, lse


def _join(a: tuple[Tensor, Tensor], b: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor]:
    lse = torch.logaddexp(a[1], b[1])
    safe = lse.masked_fill(lse == -math.inf, 0)
    return (a[1] - safe).exp() * a[0] + (b[1] - safe).exp() * b[0], lse


@torch.no_grad()
def flash_attention(
    query: Tensor, key: Tensor, value: Tensor, block_size: int, causal: bool = False
) -> Tensor:
    """Tiles are finished attentions, joined by their log-sum-exps."""
    wide = torch.promote_types(query.dtype, torch.float32)
    q = query.to(wide) / math.sqrt(query.shape[-1])
    length = q.shape[-2]
    rows = torch.arange(length, device=q.device).unsqueeze(1)
    state = (torch.zeros_like(q), torch.full_like(q[..., :1], -math.inf))
    for first, (k, v) in zip(
        range(0, length, block_size),
        zip(key.split(block_size, dim=-2), value.split(block_size, dim=-2)),
    ):
        hidden = None
        if causal:
            hidden = torch.arange(first, first + k.shape[-2], device=q.device) > rows
        state = _join(state, _tile(q, k.to(wide), v.to(wide), hidden))
    return state[0].to(query.dtype)
