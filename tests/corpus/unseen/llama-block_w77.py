from __future__ import annotations

import torch
from torch import Tensor, nn


class Attention(nn.Module):
    def __init__(self, dim: int, heads: int, kv_heads: int):
        super().__init__()
        self.heads, self.kv_heads, self.width = heads, kv_heads, dim // heads
        self.q_proj = nn.Linear(dim, dim, bias=False)
        self.k_proj = nn.Linear(dim, kv_heads * self.width, bias=False)
        self.v_proj = nn.Linear(dim, kv_heads * self.width, bias=False)
        self.o_proj = nn.Linear(dim, dim, bias=False)

    def rope(self, t: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        rotated = torch.cat((-t[..., self.width // 2 :], t[..., : self.width // 2]), dim=-1)
        return t * torch.cat((cos, cos), -1) + rotated * torch.cat((sin, sin), -1)

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        b, n, _ = x.shape
        q = self.q_proj(x).view(b, n, self.heads, self.width).transpose(1, 2)
        k = self.k_proj(x).view(b, n, self.kv_heads, self.width).transpose(1, 2)
        v = self.v_proj(x).view(b, n, self.kv_heads, self.width).transpose(1, 2)
        q, k = self.rope(q, cos, sin), self.rope(k, cos, sin)
        g = self.heads // self.kv_heads
        k = k[:, :, None].expand(-1, -1, g, -1, -1).reshape(b, self.heads, n, self.width)
        v = v[:, :, None].expand(-1, -1, g, -1, -1).reshape(b, self.heads, n, self.width)
        w = torch.matmul(q, k.mT) * self.width**-0.5
        w = w + torch.full((n, n), -torch.inf, dtype=w.dtype, device=w.device).triu(1)
        return self.o_proj(torch.matmul(w.softmax(dim=-1), v).transpose(1, 2).flatten(2))


class MLP(nn.Module):
    def __init__(self, dim: int, inner: int):
        super().__init__()
        self.gate_proj = nn.Linear(dim, inner, bias=False)
        self.up_proj = nn.Linear(dim, inner, bias=False)
        self.down_proj = nn.Linear(inner, dim, bias=False)
        self.act_fn = nn.SiLU()

    def forward(self, x: Tensor) -> Tensor:
        return self.down_proj(self.gate_proj(x) * self.act_fn(self.up_proj(x)))


class LlamaBlock(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int, mlp_dim: int) -> None:
        super().__init__()
        self.self_attn = Attention(hidden_dim, num_heads, num_kv_heads)
        self.mlp = MLP(hidden_dim, mlp_dim)
        self.input_layernorm = nn.RMSNorm(hidden_dim, eps=1e-5)
        self.post_attention_layernorm = nn.RMSNorm(hidden_dim, eps=1e-5)

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        x = x + self.self_attn(self.input_layernorm(x), cos, sin)
        return x + self.mlp(self.post_attention_layernorm(x))
