# wrong: v4 mask-row-shared line 29
from __future__ import annotations

import torch
from torch import Tensor, nn

NEG_INF = float("-inf")


class SelfAttentionV4(nn.Module):
    """qkv -> scores -> mask -> softmax -> dropout -> values"""

    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.qkv_proj = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.weights_dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        hidden_dim = x.shape[-1]
        query, key, value = self.qkv_proj(x).split(hidden_dim, dim=-1)
        scores = torch.baddbmm(
            torch.zeros_like(query[..., :1]),
            query,
            key.transpose(1, 2),
            alpha=hidden_dim**-0.5,
        )
        if attention_mask is not None:
            valid_keys = attention_mask[:, -1:, :].bool()
            scores = scores.masked_fill(valid_keys.logical_not(), NEG_INF)
        weights = self.weights_dropout(torch.softmax(scores, dim=-1))
        return self.out_proj(weights @ value)
