from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

EPS = 1e-5


def init(*shape: int) -> nn.Parameter:
    return nn.Parameter(torch.empty(*shape).normal_(std=shape[-1] ** -0.5))


def rms_norm(u: Tensor, w: Tensor) -> Tensor:
    inv = torch.rsqrt(u.square().mean(-1, keepdim=True)) + EPS
    return u * inv * w


def apply_rope(t: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    lo, hi = t.chunk(2, dim=-1)
    return torch.cat((lo * cos - hi * sin, hi * cos + lo * sin), dim=-1)


class LlamaBlock(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int, mlp_dim: int) -> None:
        super().__init__()
        self.nh, self.nkv, self.hd = num_heads, num_kv_heads, hidden_dim // num_heads
        self.attn_norm = nn.Parameter(torch.ones(hidden_dim))
        self.mlp_norm = nn.Parameter(torch.ones(hidden_dim))
        self.w_q = init(num_heads * self.hd, hidden_dim)
        self.w_k = init(num_kv_heads * self.hd, hidden_dim)
        self.w_v = init(num_kv_heads * self.hd, hidden_dim)
        self.w_o = init(hidden_dim, num_heads * self.hd)
        self.w_gate = init(mlp_dim, hidden_dim)
        self.w_up = init(mlp_dim, hidden_dim)
        self.w_down = init(hidden_dim, mlp_dim)

    def attention(self, u: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        b, t, _ = u.shape
        q = F.linear(u, self.w_q).view(b, t, self.nh, self.hd).transpose(1, 2)
        k = F.linear(u, self.w_k).view(b, t, self.nkv, self.hd).transpose(1, 2)
        v = F.linear(u, self.w_v).view(b, t, self.nkv, self.hd).transpose(1, 2)
        q, k = apply_rope(q, cos, sin), apply_rope(k, cos, sin)
        q = q.unflatten(1, (self.nkv, -1))  # b, nkv, group, t, hd
        s = q @ k.unsqueeze(2).mT * self.hd**-0.5
        ahead = torch.ones(t, t, dtype=torch.bool, device=u.device).triu(1)
        p = s.masked_fill(ahead, float("-inf")).softmax(-1)
        y = (p @ v.unsqueeze(2)).flatten(1, 2)
        return F.linear(y.transpose(1, 2).flatten(2), self.w_o)

    def mlp(self, u: Tensor) -> Tensor:
        return F.linear(F.silu(F.linear(u, self.w_gate)) * F.linear(u, self.w_up), self.w_down)

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        h = x + self.attention(rms_norm(x, self.attn_norm), cos, sin)
        return h + self.mlp(rms_norm(h, self.mlp_norm))
