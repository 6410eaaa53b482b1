from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class GroupedQueryAttention(nn.Module):
    """Loops over the key-value heads; the queries of a group are handled together."""

    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int) -> None:
        super().__init__()
        self.num_heads, self.num_kv_heads = num_heads, num_kv_heads
        self.head_dim = hidden_dim // num_heads
        self.group = num_heads // num_kv_heads
        self.q_proj = nn.Linear(hidden_dim, num_heads * self.head_dim)
        self.k_proj = nn.Linear(hidden_dim, num_kv_heads * self.head_dim)
        self.v_proj = nn.Linear(hidden_dim, num_kv_heads * self.head_dim)
        self.o_proj = nn.Linear(num_heads * self.head_dim, hidden_dim)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        queries = self.q_proj(x).split(self.head_dim, dim=-1)
        keys = self.k_proj(x).split(self.head_dim, dim=-1)
        values = self.v_proj(x).split(self.head_dim, dim=-1)
        if attention_mask is not None:
            attention_mask = attention_mask.expand(-1, self.num_heads, -1, -1).bool()

        outputs = []
        for g, (key, value) in enumerate(zip(keys, values)):
            first = g * self.group
            for query in queries[first : first + self.group]:
                scores = query @ key.transpose(-2, -1) / self.head_dim ** 0.5
                if attention_mask is not None:
                    scores = scores.masked_fill(~attention_mask[:, g], float("-inf"))
                outputs.append(F.softmax(scores, dim=-1) @ value)
        return self.o_proj(torch.cat(outputs, dim=-1))
