from __future__ import annotations

import functools
from typing import Literal, overload

import torch
from torch import Tensor, nn


def sorted_masks(forward):
    """forward gets one bool mask (True hides) and one additive mask, either of them None."""

    @functools.wraps(forward)
    def wrapper(self, query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None,
                average_attn_weights=True):
        hidden = added = None
        if attn_mask is not None:
            if attn_mask.dim() == 3:
                attn_mask = attn_mask.unflatten(0, (query.shape[0], -1))
            hidden, added = (attn_mask, None) if attn_mask.dtype == torch.bool else (None, attn_mask)
        if key_padding_mask is not None:
            padding = key_padding_mask[:, None, None, :]
            hidden = padding if hidden is None else hidden | padding
        kind = (bool(need_weights), bool(average_attn_weights))
        return forward(self, query, key, value, hidden, added, kind)

    return wrapper


WEIGHTS = {
    (False, False): lambda w: None,
    (False, True): lambda w: None,
    (True, False): lambda w: w,
    (True, True): lambda w: w.mean(1),
}


class Head(nn.Module):
    def __init__(self, embed_dim: int, head_dim: int, bias: bool) -> None:
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(embed_dim, head_dim, bias=bias) for _ in range(3))

    def scores(self, query: Tensor, key: Tensor) -> Tensor:
        return torch.bmm(self.q(query) * self.q.out_features ** -0.5, self.k(key).transpose(1, 2))


class MultiheadAttention(nn.Module):
    def __init__(self, embed_dim: int, num_heads: int, dropout: float = 0.0, bias: bool = True) -> None:
        super().__init__()
        self.heads = nn.ModuleList(
            Head(embed_dim, embed_dim // num_heads, bias) for _ in range(num_heads)
        )
        self.drop = nn.Dropout(dropout)
        self.out_proj = nn.Linear(embed_dim, embed_dim, bias=bias)

    @overload
    def forward(self, query, key, value, *, need_weights: Literal[False]) -> tuple[Tensor, None]: ...
    @overload
    def forward(self, query, key, value, *args, **kwargs) -> tuple[Tensor, Tensor]: ...
    @sorted_masks
    def forward(self, query, key, value, hidden, added, kind):
        scores = torch.stack([head.scores(query, key) for head in self.heads], dim=1)
        if added is not None:
            scores = scores + added
        if hidden is not None:
            scores = torch.where(hidden, torch.finfo(scores.dtype).min, scores)
        weights = scores.softmax(dim=-1)
        dropped = self.drop(weights).unbind(1)
        context = torch.cat([w @ head.v(value) for w, head in zip(dropped, self.heads)], dim=-1)
        return self.out_proj(context), WEIGHTS[kind](weights)
