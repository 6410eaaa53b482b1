# right: mha
from dataclasses import dataclass

import torch
import torch.nn as nn


@dataclass
class CLIPConfig:
    hidden_size: int = 512
    num_attention_heads: int = 8
    attention_dropout: float = 0.0


class CLIPAttention(nn.Module):
    """Multi-headed attention with the heads folded into the batch."""

    def __init__(self, config: CLIPConfig):
        super().__init__()
        self.config = config
        self.embed_dim = config.hidden_size
        self.num_heads = config.num_attention_heads
        self.head_dim = self.embed_dim // self.num_heads
        self.scale = self.head_dim**-0.5
        self.dropout = config.attention_dropout

        self.k_proj = nn.Linear(self.embed_dim, self.embed_dim)
        self.v_proj = nn.Linear(self.embed_dim, self.embed_dim)
        self.q_proj = nn.Linear(self.embed_dim, self.embed_dim)
        self.out_proj = nn.Linear(self.embed_dim, self.embed_dim)

    def _shape(self, tensor: torch.Tensor, seq_len: int, bsz: int):
        return tensor.view(bsz, seq_len, self.num_heads, self.head_dim).transpose(1, 2).contiguous()

    def forward(self, hidden_states, attention_mask=None, output_attentions=False):
        bsz, tgt_len, embed_dim = hidden_states.size()

        query_states = self._shape(self.q_proj(hidden_states) * self.scale, tgt_len, bsz)
        proj_shape = (bsz * self.num_heads, -1, self.head_dim)
        query_states = query_states.view(*proj_shape)
        key_states = self._shape(self.k_proj(hidden_states), -1, bsz).view(*proj_shape)
        value_states = self._shape(self.v_proj(hidden_states), -1, bsz).view(*proj_shape)

        src_len = key_states.size(1)
        attn_weights = torch.bmm(query_states, key_states.transpose(1, 2))

        if attention_mask is not None:
            if attention_mask.size(1) != 1:
                raise ValueError(f"one mask for all heads, (bsz, 1, tgt, src), not {tuple(attention_mask.size())}")
            grid = attn_weights.view(bsz, self.num_heads, tgt_len, src_len)
            grid = grid.masked_fill(attention_mask == 0, float("-inf"))
            attn_weights = grid.view(bsz * self.num_heads, tgt_len, src_len)

        attn_weights = nn.functional.softmax(attn_weights, dim=-1)
        attn_probs = nn.functional.dropout(attn_weights, p=self.dropout, training=self.training)
        attn_output = torch.bmm(attn_probs, value_states)
        attn_output = attn_output.view(bsz, self.num_heads, tgt_len, self.head_dim)
        attn_output = attn_output.transpose(1, 2).reshape(bsz, tgt_len, embed_dim)
        return self.out_proj(attn_output), None
