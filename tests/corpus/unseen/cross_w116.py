from __future__ import annotations

import torch
from torch import Tensor, nn


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.embed_dim = hidden_dim
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def _project_kv(self, states: Tensor) -> tuple[Tensor, Tensor]:
        shape = (states.size(0), states.size(1), self.num_heads, self.head_dim)
        key_states = self.k_proj(states).view(shape).transpose(1, 2)
        value_states = self.v_proj(states).view(shape).transpose(1, 2)
        return key_states, value_states

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
        bsz, tgt_len, _ = query.shape
        query_states = self.q_proj(query).view(bsz, tgt_len, self.num_heads, self.head_dim).transpose(1, 2)
        key_states, value_states = self._project_kv(key)

        attn_weights = torch.matmul(query_states, key_states.transpose(2, 3)) * self.head_dim**-0.5
        if mask is not None:
            attn_weights = attn_weights.masked_fill(mask.unsqueeze(1) == 0, torch.finfo(attn_weights.dtype).min)
        attn_weights = self.dropout(attn_weights.softmax(dim=-1))

        attn_output = torch.matmul(attn_weights, value_states)
        attn_output = attn_output.transpose(1, 2).reshape(bsz, tgt_len, self.embed_dim)
        return self.out_proj(attn_output)
