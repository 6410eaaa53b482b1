from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class SinkAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.scaling = self.head_dim ** -0.5
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)
        self.sinks = nn.Parameter(torch.randn(num_heads) * 0.02)

    def one_head(self, query: Tensor, key: Tensor, value: Tensor, sink: Tensor) -> Tensor:
        products = query @ key.transpose(1, 2)
        products = products * self.scaling
        combined = F.pad(products, (0, 1)) + F.pad(sink.view(1, 1, 1), (products.shape[-1], 0))
        hidden = torch.ones_like(combined[0], dtype=torch.bool).triu(1)
        hidden[:, -1] = False
        probs = combined.masked_fill(hidden, float("-inf")).softmax(dim=-1)
        return probs[..., :-1] @ value

    def forward(self, x: Tensor) -> Tensor:
        parts = [proj(x).split(self.head_dim, dim=-1) for proj in (self.q_proj, self.k_proj, self.v_proj)]
        heads = [self.one_head(*qkv, self.sinks[i]) for i, qkv in enumerate(zip(*parts))]
        return self.o_proj(torch.cat(heads, dim=-1))
