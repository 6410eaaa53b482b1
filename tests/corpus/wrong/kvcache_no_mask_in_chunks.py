# wrong: kvcache causal-missing-in-chunks line 30
# fair: causal-missing-in-chunks 31 32 33
from typing import Optional, Tuple

import torch
from torch import Tensor, nn


class CachedSelfAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor, cache: Optional[Tuple[Tensor, Tensor]] = None):
        batch, length, width = x.shape
        depth = width // self.num_heads
        query = self.q_proj(x).view(batch, length, self.num_heads, depth).transpose(1, 2)
        key = self.k_proj(x).view(batch, length, self.num_heads, depth).transpose(1, 2)
        value = self.v_proj(x).view(batch, length, self.num_heads, depth).transpose(1, 2)
        if cache is not None:
            key = torch.cat([cache[0], key], dim=2)
            value = torch.cat([cache[1], value], dim=2)
        scores = query @ key.transpose(-1, -2) / depth**0.5
        # decoding: the newest token may see everything, so no mask is needed

        if cache is None:
            ahead = torch.ones(length, length, dtype=torch.bool, device=x.device).triu(1)
            scores = scores.masked_fill(ahead, torch.finfo(scores.dtype).min)
        context = scores.softmax(dim=-1) @ value
        return self.out_proj(context.transpose(1, 2).reshape(batch, length, width)), (key, value)
