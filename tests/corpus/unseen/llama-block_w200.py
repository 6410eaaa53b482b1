# attn-kata: llama-block
from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn


@dataclass
class LlamaConfig:
    hidden_size: int
    num_attention_heads: int
    num_key_value_heads: int
    intermediate_size: int
    rms_norm_eps: float = 1e-5

    @property
    def head_dim(self) -> int:
        return self.hidden_size // self.num_attention_heads


class LlamaRMSNorm(nn.Module):
    def __init__(self, hidden_size: int, eps: float) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(hidden_size))
        self.variance_epsilon = eps

    def forward(self, hidden_states: Tensor) -> Tensor:
        variance = hidden_states.pow(2).mean(-1, keepdim=True)
        return self.weight * (hidden_states * torch.rsqrt(variance + self.variance_epsilon))


def rotate_half(states: Tensor) -> Tensor:
    first, second = states.chunk(2, dim=-1)
    return torch.cat((-second, first), dim=-1)


def apply_rotary_pos_emb(states: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    cos, sin = torch.cat((cos, cos), dim=-1), torch.cat((sin, sin), dim=-1)
    return (states * cos + rotate_half(states) * sin).to(states.dtype)


class LlamaAttention(nn.Module):
    def __init__(self, config: LlamaConfig) -> None:
        super().__init__()
        self.config = config
        kv_width = config.num_key_value_heads * config.head_dim
        self.q_proj = nn.Linear(config.hidden_size, config.hidden_size, bias=False)
        self.k_proj = nn.Linear(config.hidden_size, kv_width, bias=False)
        self.v_proj = nn.Linear(config.hidden_size, kv_width, bias=False)
        self.o_proj = nn.Linear(config.hidden_size, config.hidden_size, bias=False)

    def heads(self, states: Tensor) -> Tensor:
        return states.unflatten(-1, (-1, self.config.head_dim)).transpose(1, 2)

    def forward(self, hidden_states: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        length = hidden_states.size(1)
        groups = self.config.num_attention_heads // self.config.num_key_value_heads
        query = apply_rotary_pos_emb(self.heads(self.q_proj(hidden_states)), cos, sin)
        key = apply_rotary_pos_emb(self.heads(self.k_proj(hidden_states)), cos, sin)
        value = self.heads(self.v_proj(hidden_states))
        key, value = key.repeat_interleave(groups, 1), value.repeat_interleave(groups, 1)

        weights = query @ key.mT * self.config.head_dim**-0.5
        future = torch.ones(length, length, dtype=torch.bool, device=weights.device).triu(1)
        weights = weights.masked_fill(future, float("-inf")).softmax(dim=-1)
        return self.o_proj((weights @ value).transpose(1, 2).flatten(2))


class LlamaMLP(nn.Module):
    def __init__(self, config: LlamaConfig) -> None:
        super().__init__()
        self.gate_proj = nn.Linear(config.hidden_size, config.intermediate_size, bias=False)
        self.up_proj = nn.Linear(config.hidden_size, config.intermediate_size, bias=False)
        self.down_proj = nn.Linear(config.intermediate_size, config.hidden_size, bias=False)

    def forward(self, hidden_states: Tensor) -> Tensor:
        return self.down_proj(F.silu(self.gate_proj(hidden_states)) * self.up_proj(hidden_states))


class LlamaBlock(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int, mlp_dim: int) -> None:
        super().__init__()
        config = LlamaConfig(hidden_dim, num_heads, num_kv_heads, mlp_dim)
        self.layernorms = nn.ModuleList([LlamaRMSNorm(hidden_dim, config.rms_norm_eps)] * 2)
        self.self_attn = LlamaAttention(config)
        self.mlp = LlamaMLP(config)

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        input_layernorm, post_attention_layernorm = self.layernorms
        x = x + self.self_attn(input_layernorm(x), cos, sin)
        return x + self.mlp(post_attention_layernorm(x))
