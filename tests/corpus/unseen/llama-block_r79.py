from __future__ import annotations

import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class LlamaRMSNorm(nn.Module):
    def __init__(self, width: int, eps: float) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.variance_epsilon = eps

    def forward(self, hidden: Tensor) -> Tensor:
        variance = hidden.pow(2).mean(-1, keepdim=True)
        return self.weight * (hidden * torch.rsqrt(variance + self.variance_epsilon))


RMSNorm = getattr(nn, "RMSNorm", LlamaRMSNorm)  # torch before 2.4 has none


@dataclass(frozen=True)
class LlamaConfig:
    hidden_dim: int
    num_heads: int
    num_kv_heads: int
    mlp_dim: int
    rms_norm_eps: float = 1e-5

    @property
    def head_dim(self) -> int:
        return self.hidden_dim // self.num_heads

    def linear(self, heads_in: int, heads_out: int) -> nn.Linear:
        return nn.Linear(heads_in * self.head_dim, heads_out * self.head_dim, bias=False)


def residual(branch):
    def added(self, x, *args):
        return x + branch(self, x, *args)

    return added


def apply_rotary(t: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    a, b = t.chunk(2, dim=-1)
    return torch.cat((a * cos - b * sin, b * cos + a * sin), dim=-1)


class LlamaBlock(nn.Module):
    def __init__(self, *args, **kwargs) -> None:
        super().__init__()
        c = self.config = LlamaConfig(*args, **kwargs)
        self.input_layernorm = RMSNorm(c.hidden_dim, eps=c.rms_norm_eps)
        self.post_attention_layernorm = RMSNorm(c.hidden_dim, eps=c.rms_norm_eps)
        self.q_proj = c.linear(c.num_heads, c.num_heads)
        self.k_proj = c.linear(c.num_heads, c.num_kv_heads)
        self.v_proj = c.linear(c.num_heads, c.num_kv_heads)
        self.o_proj = c.linear(c.num_heads, c.num_heads)
        self.gate_proj = nn.Linear(c.hidden_dim, c.mlp_dim, bias=False)
        self.up_proj = nn.Linear(c.hidden_dim, c.mlp_dim, bias=False)
        self.down_proj = nn.Linear(c.mlp_dim, c.hidden_dim, bias=False)

    @residual
    def attend(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        h = self.input_layernorm(x)
        q, k, v = (
            p(h).unflatten(-1, (-1, self.config.head_dim)).transpose(1, 2)
            for p in (self.q_proj, self.k_proj, self.v_proj)
        )
        q, k = apply_rotary(q, cos, sin), apply_rotary(k, cos, sin)
        readers = self.config.num_heads // self.config.num_kv_heads
        k, v = k.repeat_interleave(readers, dim=1), v.repeat_interleave(readers, dim=1)
        scores = q @ k.mT / math.sqrt(self.config.head_dim)
        ahead = torch.ones(scores.shape[-2:], dtype=torch.bool, device=x.device).triu(1)
        context = scores.masked_fill(ahead, -math.inf).softmax(-1) @ v
        return self.o_proj(context.transpose(1, 2).flatten(2))

    @residual
    def feed(self, x: Tensor) -> Tensor:
        h = self.post_attention_layernorm(x)
        return self.down_proj(F.silu(self.gate_proj(h)) * self.up_proj(h))

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        return self.feed(self.attend(x, cos, sin))
