from __future__ import annotations

from typing import Callable

import torch
from torch import Tensor, nn


class Norm(nn.Module):
    def __init__(self, dim: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.scale, self.eps = nn.Parameter(torch.ones(dim)), eps

    def forward(self, x: Tensor) -> Tensor:
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        wide = wide / (wide.square().mean(-1, keepdim=True) + self.eps).sqrt()
        return wide.type_as(x) * self.scale


class GatedMLP(nn.Module):
    def __init__(self, dim: int, inner: int, act: Callable[[Tensor], Tensor] = nn.functional.silu) -> None:
        super().__init__()
        self.w1, self.w3 = nn.Linear(dim, inner, bias=False), nn.Linear(dim, inner, bias=False)
        self.w2 = nn.Linear(inner, dim, bias=False)
        self.act = act

    def forward(self, x: Tensor) -> Tensor:
        return self.w2(self.act(self.w1(x)) * self.w3(x))


class GroupedAttention(nn.Module):
    def __init__(self, dim: int, heads: int, kv_heads: int) -> None:
        super().__init__()
        self.kv_heads, self.head_dim = kv_heads, dim // heads
        self.wq = nn.Linear(dim, heads * self.head_dim, bias=False)
        self.wk = nn.Linear(dim, kv_heads * self.head_dim, bias=False)
        self.wv = nn.Linear(dim, kv_heads * self.head_dim, bias=False)
        self.wo = nn.Linear(heads * self.head_dim, dim, bias=False)

    @staticmethod
    def rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        real, imag = x.unflatten(-1, (2, -1)).unbind(-2)
        return torch.cat((real * cos - imag * sin, real * sin + imag * cos), dim=-1)

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        # (batch, kv_heads, group, length, head_dim); keys and values with a group of one
        q, k, v = (
            layer(x).unflatten(-1, (self.kv_heads, -1, self.head_dim)).permute(0, 2, 3, 1, 4)
            for layer in (self.wq, self.wk, self.wv)
        )
        q, k = self.rotate(q, cos, sin), self.rotate(k, cos, sin)
        scores = q @ k.transpose(-1, -2) / self.head_dim**0.5
        ahead = torch.ones_like(scores[0, 0, 0], dtype=torch.bool).triu(1)
        mixed = scores.masked_fill(ahead, float("-inf")).softmax(-1) @ v
        return self.wo(mixed.permute(0, 3, 1, 2, 4).flatten(2))


class LlamaBlock(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int, mlp_dim: int) -> None:
        super().__init__()
        self.input_layernorm = Norm(hidden_dim)
        self.self_attn = GroupedAttention(hidden_dim, num_heads, num_kv_heads)
        self.post_attention_layernorm = Norm(hidden_dim)
        self.mlp = GatedMLP(hidden_dim, mlp_dim)

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        residual = x
        hidden_states = self.input_layernorm(x)
        hidden_states = self.self_attn(hidden_states, cos, sin)
        hidden_states = residual + hidden_states

        hidden_states = self.post_attention_layernorm(hidden_states)
        hidden_states = self.mlp(hidden_states)
        return residual + hidden_states
