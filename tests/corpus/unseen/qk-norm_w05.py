# attn-kata: qk-norm
from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class HeadNorm(nn.Module):
    def __init__(self, head_dim: int, eps: float = 1e-6) -> None:
        super().__init__()
        self.gain = nn.Parameter(torch.ones(head_dim))
        self.eps = eps

    def forward(self, hidden: Tensor) -> Tensor:
        mean_square = hidden.pow(2).mean(-1, keepdim=True)
        return self.gain * (hidden * torch.rsqrt(mean_square.clamp_min(self.eps)))


class QKNormAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.scaling = self.head_dim ** -0.5
        self.q_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.q_norm = HeadNorm(self.head_dim)
        self.k_norm = HeadNorm(self.head_dim)

    def forward(self, x: Tensor) -> Tensor:
        hidden_shape = (*x.shape[:-1], -1, self.head_dim)
        query_states = self.q_norm(self.q_proj(x).view(hidden_shape)).transpose(1, 2)
        key_states = self.k_norm(self.k_proj(x).view(hidden_shape)).transpose(1, 2)
        value_states = self.v_proj(x).view(hidden_shape).transpose(1, 2)
        attn = torch.matmul(query_states, key_states.transpose(2, 3)) * self.scaling
        length = x.shape[1]
        causal = torch.full((length, length), float("-inf"), dtype=attn.dtype, device=attn.device).triu(1)
        attn = F.softmax(attn + causal, dim=-1)
        return self.o_proj(torch.matmul(attn, value_states).transpose(1, 2).flatten(2))
