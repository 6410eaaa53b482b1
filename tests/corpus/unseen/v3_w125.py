from typing import Optional

import torch
from torch import Tensor, nn


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.proj = nn.Linear(hidden_dim, hidden_dim)
        self.attn_drop = nn.Dropout(dropout)
        self.hidden_dim = hidden_dim

    @staticmethod
    def compute_scores(q: Tensor, k: Tensor) -> Tensor:
        return torch.bmm(q, k.transpose(1, 2)).div(q.size(2) ** 0.5)

    @staticmethod
    def blocked_positions(mask: Tensor) -> Tensor:
        visible = mask.bool().any(dim=1, keepdim=True)
        return visible.logical_not()

    @staticmethod
    def block(scores: Tensor, blocked: Tensor) -> Tensor:
        return scores.masked_fill(blocked, torch.finfo(scores.dtype).min)

    def forward(self, x: Tensor, attention_mask: Optional[Tensor] = None) -> Tensor:
        q, k, v = torch.tensor_split(self.qkv(x), 3, dim=2)
        scores = self.compute_scores(q, k)
        if attention_mask is not None:
            scores = self.block(scores, self.blocked_positions(attention_mask))
        probs = self.attn_drop(scores.softmax(dim=2))
        return self.proj(torch.bmm(probs, v))
