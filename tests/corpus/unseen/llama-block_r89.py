from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class _RMS(nn.Module):
    def __init__(self, n: int) -> None:
        super().__init__()
        self.excess = nn.Parameter(torch.zeros(n))

    def forward(self, u: Tensor) -> Tensor:
        power = torch.linalg.vecdot(u, u).unsqueeze(-1) / u.shape[-1]
        return u / (power + 1e-5).sqrt() * (1 + self.excess)


class LlamaBlock(nn.Module):
    """One fused input matrix for attention, one for the MLP; rotation as a complex product."""

    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int, mlp_dim: int) -> None:
        super().__init__()
        d = hidden_dim // num_heads
        self.d, self.q_heads, self.kv_heads = d, num_heads, num_kv_heads
        self.before_attention, self.before_mlp = _RMS(hidden_dim), _RMS(hidden_dim)
        self.qkv = nn.Linear(hidden_dim, (num_heads + 2 * num_kv_heads) * d, bias=False)
        self.o = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.gate_up = nn.Linear(hidden_dim, 2 * mlp_dim, bias=False)
        self.down = nn.Linear(mlp_dim, hidden_dim, bias=False)

    def turned(self, t: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        swapped = torch.cat([-t[..., self.d // 2 :], t[..., : self.d // 2]], dim=-1)
        return t * cos.repeat(1, 2) + swapped * sin.repeat(1, 2)

    def attention(self, u: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        every = self.qkv(u).unflatten(-1, (-1, self.d)).transpose(1, 2)
        rotary, v = every.tensor_split([self.q_heads + self.kv_heads], dim=1)
        rotary = self.turned(rotary, cos, sin)
        q, k = rotary.split([self.q_heads, self.kv_heads], dim=1)
        rows = []
        for h in range(self.q_heads):
            g = h * self.kv_heads // self.q_heads
            s = q[:, h] @ k[:, g].mT / self.d**0.5
            late = torch.ones_like(s[0], dtype=torch.bool).triu(1)
            rows.append(s.masked_fill(late, float("-inf")).softmax(-1) @ v[:, g])
        return self.o(torch.cat(rows, dim=-1))

    def mlp(self, u: Tensor) -> Tensor:
        gate, up = self.gate_up(u).chunk(2, dim=-1)
        return self.down(F.silu(gate).mul(up))

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        x = x + self.attention(self.before_attention(x), cos, sin)
        return x + self.mlp(self.before_mlp(x))
