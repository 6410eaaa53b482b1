from __future__ import annotations
import math
import torch
import torch.nn.functional as F
from torch import Tensor, nn


def dot_attention(
    q: Tensor, k: Tensor, v: Tensor,
    mask: Tensor | None = None,
    p_drop: float = 0.0,
    training: bool = True,
) -> Tensor:
    logits = q @ k.mT / math.sqrt(q.shape[-1])
    if mask is not None:
        logits = torch.where(mask.bool(), logits, torch.finfo(logits.dtype).min)
    probs = F.softmax(logits, dim=-1)
    probs = F.dropout(probs, p=p_drop, training=training)
    return probs @ v


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.dropout = dropout
        self.q_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        ctx = dot_attention(
            self.q_proj(x), self.k_proj(x), self.v_proj(x),
            mask=attention_mask, p_drop=self.dropout,
        )
        return self.o_proj(ctx)
