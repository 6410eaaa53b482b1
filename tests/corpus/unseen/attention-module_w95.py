from __future__ import annotations

import torch
from torch import Tensor, nn


class MultiheadAttention(nn.Module):
    def __init__(self, embed_dim: int, num_heads: int, dropout: float = 0.0, bias: bool = True):
        super().__init__()
        assert embed_dim % num_heads == 0
        self.heads = num_heads
        self.in_proj_weight = nn.Parameter(torch.empty(3 * embed_dim, embed_dim))
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * embed_dim)) if bias else None
        self.out_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.drop = nn.Dropout(dropout)
        nn.init.xavier_uniform_(self.in_proj_weight)

    def project(self, *sources: Tensor) -> list[Tensor]:
        weights = self.in_proj_weight.chunk(3)
        biases = [None] * 3 if self.in_proj_bias is None else self.in_proj_bias.chunk(3)
        return [
            nn.functional.linear(s, w, b).unflatten(-1, (self.heads, -1)).transpose(1, 2)
            for s, w, b in zip(sources, weights, biases)
        ]

    def bias(self, scores: Tensor, padding: Tensor | None, mask: Tensor | None) -> Tensor:
        if mask is not None:
            if mask.ndim == 3:
                mask = mask.unflatten(0, (-1, self.heads))
            scores = scores.masked_fill(mask, -torch.inf) if mask.dtype == torch.bool else scores + mask
        if padding is not None:
            scores = scores.masked_fill(padding[:, None, None], -torch.inf)
        return scores

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, key_padding_mask: Tensor | None = None,
        need_weights: bool = True, attn_mask: Tensor | None = None, average_attn_weights: bool = True,
    ):
        q, k, v = self.project(query, key, value)
        scores = q @ k.mT / q.shape[-1] ** 0.5
        weights = self.drop(self.bias(scores, key_padding_mask, attn_mask).softmax(dim=-1))
        output = self.out_proj((weights @ v).transpose(1, 2).flatten(2))
        if need_weights:
            return output, weights.mean(1) if average_attn_weights else weights
        return output
