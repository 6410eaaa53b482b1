# attn-kata: llama-block
from __future__ import annotations

import math
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class RotaryContext(NamedTuple):
    cos: Tensor
    sin: Tensor

    def apply(self, heads: Tensor) -> Tensor:
        """Turns the pairs (i, i + head_dim/2) of (batch, heads, length, head_dim)."""
        half = heads.size(-1) // 2
        turned = heads.clone()
        low, high = turned[..., :half], turned[..., half:]
        turned[..., :half] = low * self.cos - high * self.sin
        turned[..., half:] = high * self.cos + low * self.sin
        return turned


class RMSNorm(nn.Module):
    EPS: float = 1e-5

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))

    def forward(self, x: Tensor) -> Tensor:
        return x / (x.square().mean(dim=-1, keepdim=True) + self.EPS).sqrt() * self.weight


class SwiGLU(nn.Module):
    def __init__(self, dim: int, inner: int) -> None:
        super().__init__()
        self.w1 = nn.Linear(dim, inner, bias=False)
        self.w2 = nn.Linear(inner, dim, bias=False)
        self.w3 = nn.Linear(dim, inner, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        return self.w2(F.silu(self.w1(x)) * self.w3(x))


class LlamaBlock(nn.Module):
    """h = x + attn(norm(x)); out = h + mlp(norm(h))"""

    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int, mlp_dim: int) -> None:
        super().__init__()
        self.head_dim = hidden_dim // num_heads
        self.num_heads, self.num_kv_heads = num_heads, num_kv_heads
        self.wq = nn.Linear(hidden_dim, num_heads * self.head_dim, bias=False)
        self.wk = nn.Linear(hidden_dim, num_kv_heads * self.head_dim, bias=False)
        self.wv = nn.Linear(hidden_dim, num_kv_heads * self.head_dim, bias=False)
        self.wo = nn.Linear(num_heads * self.head_dim, hidden_dim, bias=False)
        self.attention_norm = RMSNorm(hidden_dim)
        self.ffn_norm = RMSNorm(hidden_dim)
        self.feed_forward = SwiGLU(hidden_dim, mlp_dim)

    def _heads(self, states: Tensor, count: int) -> Tensor:
        batch, length, _ = states.shape
        return states.view(batch, length, count, self.head_dim).transpose(1, 2)

    def attention(self, u: Tensor, rotary: RotaryContext) -> Tensor:
        batch, length, _ = u.shape
        q = rotary.apply(self._heads(self.wq(u), self.num_heads))
        k = rotary.apply(self._heads(self.wk(u), self.num_kv_heads))
        v = self._heads(self.wv(u), self.num_kv_heads)

        # (batch, kv heads, group, length, head_dim) against (batch, kv heads, 1, length, head_dim)
        q = q.reshape(batch, self.num_kv_heads, -1, length, self.head_dim)
        scores = q @ k.unsqueeze(2).transpose(-2, -1) / math.sqrt(self.head_dim)
        causal = torch.ones(length, length, dtype=torch.bool, device=u.device).tril()
        weights = scores.masked_fill(~causal, float("-inf")).softmax(dim=-1)
        context = (weights @ v.unsqueeze(2)).reshape(batch, self.num_heads, length, self.head_dim)
        return self.wo(context.transpose(1, 2).reshape(batch, length, -1))

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        h = x + self.attention(self.attention_norm(x), RotaryContext(cos, sin))
        return h + self.feed_forward(self.ffn_norm(h))
