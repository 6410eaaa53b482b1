from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn


@dataclass
class BlockConfig:
    hidden_size: int
    num_attention_heads: int
    mlp_ratio: int = 4
    layer_norm_eps: float = 1e-5

    @property
    def head_dim(self) -> int:
        return self.hidden_size // self.num_attention_heads

    @property
    def intermediate_size(self) -> int:
        return int(self.hidden_size * self.mlp_ratio)


class SelfAttention(nn.Module):
    def __init__(self, config: BlockConfig):
        super().__init__()
        self.config = config
        self.q_proj = nn.Linear(config.hidden_size, config.hidden_size)
        self.k_proj = nn.Linear(config.hidden_size, config.hidden_size)
        self.v_proj = nn.Linear(config.hidden_size, config.hidden_size)
        self.o_proj = nn.Linear(config.hidden_size, config.hidden_size)

    def forward(self, hidden_states: Tensor) -> Tensor:
        shape = (*hidden_states.shape[:-1], self.config.num_attention_heads, self.config.head_dim)
        query_states = self.q_proj(hidden_states).view(shape).transpose(1, 2)
        key_states = self.k_proj(hidden_states).view(shape).transpose(1, 2)
        value_states = self.v_proj(hidden_states).view(shape).transpose(1, 2)
        scores = query_states @ key_states.transpose(2, 3) * self.config.head_dim ** -0.5
        positions = torch.arange(scores.shape[-1], device=scores.device)
        scores = scores.masked_fill(positions[None, :] > positions[:, None], torch.finfo(scores.dtype).min)
        attn_output = F.softmax(scores, dim=-1) @ value_states
        return self.o_proj(attn_output.transpose(1, 2).reshape(hidden_states.shape))


class MLP(nn.Module):
    def __init__(self, config: BlockConfig):
        super().__init__()
        self.up_proj = nn.Linear(config.hidden_size, config.intermediate_size)
        self.down_proj = nn.Linear(config.intermediate_size, config.hidden_size)

    def forward(self, hidden_states: Tensor) -> Tensor:
        return self.down_proj(F.gelu(self.up_proj(hidden_states)))


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        config = BlockConfig(hidden_dim, num_heads)
        self.input_layernorm = nn.LayerNorm(hidden_dim, eps=config.layer_norm_eps)
        self.self_attn = SelfAttention(config)
        self.post_attention_layernorm = nn.LayerNorm(hidden_dim, eps=config.layer_norm_eps)
        self.mlp = MLP(config)

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.self_attn(self.input_layernorm(x))
        return x + self.mlp(self.post_attention_layernorm(x))
