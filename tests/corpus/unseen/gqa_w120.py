from dataclasses import dataclass

import torch
import torch.nn as nn


@dataclass(frozen=True)
class GQAConfig:
    hidden_dim: int
    num_heads: int
    num_kv_heads: int

    @property
    def head_dim(self):
        return self.hidden_dim // self.num_heads

    @property
    def queries_per_kv(self):
        return self.num_heads // self.num_kv_heads


def repeat_kv(t, n_rep):
    """(batch, kv, len, dim) -> (batch, kv * n_rep, len, dim)"""
    b, kv, n, d = t.shape
    return t[:, :, None].expand(b, kv, n_rep, n, d).reshape(b, kv * n_rep, n, d)


def to_additive(mask, dtype):
    """1/0 mask -> 0/-inf bias that broadcasts over the scores."""
    allowed = mask[:, :, -1:, :] != 0
    bias = torch.zeros(allowed.shape, dtype=dtype, device=mask.device)
    return bias.masked_fill(~allowed, float("-inf"))


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads):
        super().__init__()
        self.config = cfg = GQAConfig(hidden_dim, num_heads, num_kv_heads)
        self.q_proj = nn.Linear(hidden_dim, cfg.num_heads * cfg.head_dim, bias=True)
        self.k_proj = nn.Linear(hidden_dim, cfg.num_kv_heads * cfg.head_dim, bias=True)
        self.v_proj = nn.Linear(hidden_dim, cfg.num_kv_heads * cfg.head_dim, bias=True)
        self.o_proj = nn.Linear(cfg.num_heads * cfg.head_dim, hidden_dim, bias=False)
        self.scaling = cfg.head_dim**-0.5

    def forward(self, x, attention_mask=None):
        cfg = self.config
        input_shape = x.shape[:-1]
        hidden_shape = (*input_shape, -1, cfg.head_dim)

        query_states = self.q_proj(x).view(hidden_shape).transpose(1, 2)
        key_states = self.k_proj(x).view(hidden_shape).transpose(1, 2)
        value_states = self.v_proj(x).view(hidden_shape).transpose(1, 2)

        key_states = repeat_kv(key_states, cfg.queries_per_kv)
        value_states = repeat_kv(value_states, cfg.queries_per_kv)

        attn_weights = torch.matmul(query_states, key_states.transpose(2, 3)) * self.scaling
        if attention_mask is not None:
            attn_weights = attn_weights + to_additive(attention_mask, attn_weights.dtype)
        attn_weights = nn.functional.softmax(attn_weights, dim=-1)

        attn_output = torch.matmul(attn_weights, value_states)
        attn_output = attn_output.transpose(1, 2).reshape(*input_shape, -1)
        return self.o_proj(attn_output)
