from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.functional import silu


def rope(t: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """rotate the two halves of the last axis"""
    first, second = t.chunk(2, dim=-1)
    return torch.cat([first * cos - second * sin, second * cos + first * sin], dim=-1)


class LlamaBlock(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int, mlp_dim: int) -> None:
        super().__init__()
        head_dim = hidden_dim // num_heads
        self.sizes = [hidden_dim, num_kv_heads * head_dim, num_kv_heads * head_dim]
        self.head_dim, self.rep = head_dim, num_heads // num_kv_heads
        self.norm_a = nn.RMSNorm(hidden_dim, 1e-5)
        self.norm_b = nn.RMSNorm(hidden_dim, 1e-5)
        self.qkv = nn.Linear(hidden_dim, sum(self.sizes), bias=False)
        self.out = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.gate_up = nn.Linear(hidden_dim, 2 * mlp_dim, bias=False)
        self.down = nn.Linear(mlp_dim, hidden_dim, bias=False)

    def attend(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        q, k, v = (
            part.unflatten(-1, (-1, self.head_dim)) for part in self.qkv(x).split(self.sizes, -1)
        )
        q, k = rope(q, cos, sin), rope(k, cos, sin)
        q, k, v = q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2)
        k, v = k.repeat_interleave(self.rep, 1), v.repeat_interleave(self.rep, 1)
        scores = q @ k.mT / self.head_dim**0.5
        late = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool, device=x.device).triu(1)
        weights = scores.masked_fill(late, float("-inf")).softmax(-1)
        return self.out((weights @ v).transpose(1, 2).flatten(2))

    def mlp(self, u: Tensor) -> Tensor:
        gate, up = self.gate_up(u).chunk(2, -1)
        return self.down(silu(gate) * up)

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        h = x + self.attend(self.norm_a(x), cos, sin)
        return h + self.mlp(self.norm_b(h))
