from __future__ import annotations

from typing import Any, Dict, Optional, Tuple

import torch
from torch import nn


def make_causal_mask(query_length: int, key_length: int, device) -> torch.Tensor:
    """True where attention is allowed."""
    query_ids = torch.arange(query_length, device=device)
    key_ids = torch.arange(key_length, device=device)
    return query_ids[:, None] >= key_ids[None, :]


class CachedSelfAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.q_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x: torch.Tensor, cache: Optional[Dict[str, Any]] = None) -> Tuple[torch.Tensor, Dict[str, Any]]:
        bsz, q_len, _ = x.size()
        shape = (bsz, q_len, self.num_heads, self.head_dim)
        query_states = self.q_proj(x).view(shape).transpose(1, 2)
        key_states = self.k_proj(x).view(shape).transpose(1, 2)
        value_states = self.v_proj(x).view(shape).transpose(1, 2)
        if cache is not None:
            key_states = torch.cat([cache["key_states"], key_states], dim=2)
            value_states = torch.cat([cache["value_states"], value_states], dim=2)
        present = {"key_states": key_states, "value_states": value_states}

        attn_weights = torch.matmul(query_states, key_states.transpose(2, 3)) * self.head_dim**-0.5
        allowed = make_causal_mask(q_len, key_states.shape[2], x.device)
        attn_weights = torch.where(allowed, attn_weights, torch.finfo(attn_weights.dtype).min)
        attn_weights = attn_weights.softmax(dim=-1)
        attn_output = torch.matmul(attn_weights, value_states)
        attn_output = attn_output.transpose(1, 2).reshape(bsz, q_len, -1)
        return self.o_proj(attn_output), present
