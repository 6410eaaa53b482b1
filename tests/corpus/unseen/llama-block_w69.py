from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

EPS = 1e-5


def rms(x: Tensor, gain: Tensor) -> Tensor:
    return F.rms_norm(x, (x.shape[-1],), gain, EPS)


def rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    HALF = x.shape[-1] // 2
    assert cos.shape == sin.shape == (x.shape[-2], HALF)
    a, b = x[..., :HALF], x[..., HALF:]
    return torch.cat([a * cos - b * sin, b * cos + a * sin], -1)


class LlamaBlock(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int, mlp_dim: int) -> None:
        super().__init__()
        assert hidden_dim % num_heads == 0
        assert num_heads % num_kv_heads == 0
        self.H, self.KV, self.D = num_heads, num_kv_heads, hidden_dim // num_heads
        assert self.D % 2 == 0
        self.splits = [num_heads * self.D, num_kv_heads * self.D, num_kv_heads * self.D]
        self.qkv = nn.Linear(hidden_dim, sum(self.splits), bias=False)
        self.proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.gate_up = nn.Linear(hidden_dim, 2 * mlp_dim, bias=False)
        self.down = nn.Linear(mlp_dim, hidden_dim, bias=False)
        self.gain_attn = nn.Parameter(torch.ones(hidden_dim))
        self.gain_mlp = nn.Parameter(torch.ones(hidden_dim))

    def attention(self, u: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        B, N, E = u.shape
        G = self.H // self.KV
        q, k, v = (
            t.view(B, N, -1, self.D).transpose(1, 2) for t in self.qkv(u).split(self.splits, -1)
        )
        q, k = rotate(q, cos, sin), rotate(k, cos, sin)
        k, v = (t.repeat(1, G, 1, 1) for t in (k, v))
        assert q.shape == k.shape == v.shape == (B, self.H, N, self.D)
        s = q @ k.mT * self.D**-0.5
        s = s.masked_fill(torch.ones(N, N, dtype=torch.bool, device=s.device).triu(1), -torch.inf)
        return self.proj((s.softmax(-1) @ v).transpose(1, 2).reshape(B, N, E))

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        x = x + self.attention(rms(x, self.gain_attn), cos, sin)
        gate, up = self.gate_up(rms(x, self.gain_mlp)).chunk(2, -1)
        return x + self.down(F.silu(gate) * up)
