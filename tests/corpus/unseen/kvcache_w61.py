# attn-kata: kvcache
from __future__ import annotations

from typing import Optional, Tuple

import torch
from torch import nn

Past = Tuple[torch.Tensor, torch.Tensor]


class CachedSelfAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int):
        super().__init__()
        self.embed_dim = hidden_dim
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        if self.head_dim * num_heads != hidden_dim:
            raise ValueError("hidden_dim must be divisible by num_heads")
        self.scaling = self.head_dim**-0.5
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)

    def _shape(self, tensor: torch.Tensor) -> torch.Tensor:
        bsz, seq_len, _ = tensor.shape
        return tensor.view(bsz, seq_len, self.num_heads, self.head_dim).transpose(1, 2)

    def forward(self, x: torch.Tensor, cache: Optional[Past] = None) -> Tuple[torch.Tensor, Past]:
        bsz, tgt_len, _ = x.shape

        query_states = self._shape(self.q_proj(x) * self.scaling)
        key_states = self._shape(self.k_proj(x))
        value_states = self._shape(self.v_proj(x))
        if cache is not None:
            # reuse k, v
            key_states = torch.cat([cache[0], key_states], dim=2)
            value_states = torch.cat([cache[1], value_states], dim=2)
        present = (key_states, value_states)
        src_len = key_states.size(2)

        attn_weights = query_states @ key_states.transpose(2, 3)
        is_causal = cache is None and tgt_len > 1
        if is_causal:
            keep = torch.ones(tgt_len, src_len, dtype=torch.bool, device=x.device)
            keep = keep.tril(diagonal=src_len - tgt_len)
            attn_weights = attn_weights.masked_fill(~keep, torch.finfo(attn_weights.dtype).min)
        attn_weights = nn.functional.softmax(attn_weights, dim=-1)

        attn_output = (attn_weights @ value_states).transpose(1, 2).reshape(bsz, tgt_len, self.embed_dim)
        return self.out_proj(attn_output), present
