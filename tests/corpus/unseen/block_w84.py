import math

import torch
from torch import Tensor, nn


class CausalAttention(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def forward(self, h: Tensor) -> Tensor:
        n = h.size(1)
        q, k, v = (t.unflatten(-1, (self.heads, -1)).transpose(1, 2) for t in self.qkv(h).chunk(3, -1))
        s = q @ k.mT / math.sqrt(q.size(-1))
        s = s.masked_fill(torch.ones(n, n, dtype=torch.bool, device=h.device).triu(1), -math.inf)
        return self.out((s.softmax(-1) @ v).transpose(1, 2).flatten(2))


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.norm_1 = nn.LayerNorm(hidden_dim)
        self.attention = CausalAttention(hidden_dim, num_heads)
        self.norm_2 = nn.LayerNorm(hidden_dim)
        self.mlp = nn.Sequential(
            nn.Linear(hidden_dim, 4 * hidden_dim), nn.GELU(), nn.Linear(4 * hidden_dim, hidden_dim)
        )

    @staticmethod
    def _add(stream: Tensor, branch: Tensor) -> Tensor:
        if torch.is_grad_enabled():
            return stream + branch
        return stream.add_(branch)

    def forward(self, x: Tensor) -> Tensor:
        x = self._add(x, self.attention(self.norm_1(x)))
        return self._add(x, self.mlp(self.norm_2(x)))
