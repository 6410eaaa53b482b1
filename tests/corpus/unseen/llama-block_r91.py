from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn


def _linear(i: int, o: int) -> nn.Linear:
    return nn.Linear(i, o, bias=False)


class LlamaBlock(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int, mlp_dim: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.num_kv_heads = num_kv_heads
        self.head_dim = hidden_dim // num_heads
        self.input_norm = nn.RMSNorm(hidden_dim, eps=1e-5)
        self.post_norm = nn.RMSNorm(hidden_dim, eps=1e-5)
        self.q_proj = _linear(hidden_dim, num_heads * self.head_dim)
        self.kv_proj = _linear(hidden_dim, 2 * num_kv_heads * self.head_dim)
        self.o_proj = _linear(num_heads * self.head_dim, hidden_dim)
        self.gate_up = _linear(hidden_dim, 2 * mlp_dim)
        self.down = _linear(mlp_dim, hidden_dim)

    @staticmethod
    def rotate(t: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        first, second = t.tensor_split(2, dim=-1)
        cos, sin = cos[:, None, :], sin[:, None, :]
        return torch.cat((first * cos - second * sin, second * cos + first * sin), dim=-1)

    def attend(self, u: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        length = u.shape[1]
        q = self.q_proj(u).unflatten(-1, (self.num_heads, self.head_dim))
        k, v = self.kv_proj(u).unflatten(-1, (2, self.num_kv_heads, self.head_dim)).unbind(2)
        q, k = self.rotate(q, cos, sin), self.rotate(k, cos, sin)
        q = q.unflatten(2, (self.num_kv_heads, -1))
        scores = torch.einsum("bikgd,bjkd->bkgij", q, k) / math.sqrt(self.head_dim)
        later = torch.triu(torch.ones(length, length, dtype=torch.bool, device=u.device), diagonal=1)
        weights = torch.softmax(scores.masked_fill(later, -math.inf), dim=-1)
        return self.o_proj(torch.einsum("bkgij,bjkd->bikgd", weights, v).flatten(2))

    def feed_forward(self, u: Tensor) -> Tensor:
        gate, up = self.gate_up(u).chunk(2, dim=-1)
        return self.down(F.silu(gate) * up)

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        h = x + self.attend(self.input_norm(x), cos, sin)
        return h + self.feed_forward(self.post_norm(h))
