from typing import Optional, Tuple

import torch
from torch import nn


class CachedSelfAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int):
        super().__init__()
        self.embed_dim = hidden_dim
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        if self.head_dim * num_heads != hidden_dim:
            raise ValueError(f"embed_dim must be divisible by num_heads (got {hidden_dim} and {num_heads}).")
        self.scaling = self.head_dim**-0.5

        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)

    def _shape(self, tensor: torch.Tensor, seq_len: int, bsz: int):
        return tensor.view(bsz, seq_len, self.num_heads, self.head_dim).transpose(1, 2).contiguous()

    def forward(
        self, x: torch.Tensor, cache: Optional[Tuple[torch.Tensor, torch.Tensor]] = None
    ) -> Tuple[torch.Tensor, Tuple[torch.Tensor, torch.Tensor]]:
        bsz, tgt_len, _ = x.size()

        query_states = self._shape(self.q_proj(x) * self.scaling, tgt_len, bsz)
        key_states = self._shape(self.k_proj(x), tgt_len, bsz)
        value_states = self._shape(self.v_proj(x), tgt_len, bsz)

        if cache is not None:
            # reuse k, v
            key_states = torch.cat([cache[0], key_states], dim=2)
            value_states = torch.cat([cache[1], value_states], dim=2)
        present_key_value = (key_states, value_states)

        attn_weights = torch.matmul(query_states, key_states.transpose(2, 3))
        if cache is None:
            future = torch.ones(tgt_len, tgt_len, dtype=torch.bool, device=x.device).triu(1)
            attn_weights = attn_weights.masked_fill(future, float("-inf"))
        attn_weights = nn.functional.softmax(attn_weights, dim=-1)

        attn_output = torch.matmul(attn_weights, value_states)
        attn_output = attn_output.transpose(1, 2).reshape(bsz, tgt_len, self.embed_dim)
        return self.out_proj(attn_output), present_key_value
