from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class MultiQueryAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        head_dim = hidden_dim // num_heads
        self.query_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.key_value_proj = nn.Linear(hidden_dim, 2 * head_dim, bias=False)
        self.output_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        query = self.query_proj(x).unflatten(-1, (self.num_heads, -1)).movedim(2, 1)
        key, value = self.key_value_proj(x).unsqueeze(1).chunk(2, dim=-1)
        scores = query @ key.mT / math.sqrt(query.shape[-1])
        if attention_mask is not None:
            # there is one key head, so one mask serves all
            visible = attention_mask[:, :1].bool()
            scores = torch.where(visible, scores, torch.finfo(scores.dtype).min)
        weights = torch.softmax(scores, dim=-1)
        context = weights @ value
        return self.output_proj(context.movedim(1, 2).flatten(-2))
