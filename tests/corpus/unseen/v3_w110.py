from typing import Optional

import torch
from torch import nn

NEG_INF = float("-inf")


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim: int, dropout: float = 0.1):
        super().__init__()
        self.to_q = nn.Linear(hidden_dim, hidden_dim)
        self.to_k = nn.Linear(hidden_dim, hidden_dim)
        self.to_v = nn.Linear(hidden_dim, hidden_dim)
        self.to_out = nn.Linear(hidden_dim, hidden_dim)
        self.drop = nn.Dropout(p=dropout)
        self.scale = hidden_dim ** -0.5

    def forward(self, x: torch.Tensor, attention_mask: Optional[torch.Tensor] = None):
        q = self.to_q(x) * self.scale
        k = self.to_k(x)
        v = self.to_v(x)

        sim = torch.baddbmm(q.new_zeros(1, 1, 1), q, k.transpose(1, 2), beta=0)

        hidden = ~attention_mask.bool()
        if hidden is not None:
            sim = sim.masked_fill(hidden, NEG_INF)

        attn = self.drop(sim.softmax(dim=-1))
        return self.to_out(attn.bmm(v))
