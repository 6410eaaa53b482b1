# wrong: mha scale-by-hidden-dim line 34
from dataclasses import dataclass

import torch
import torch.nn as nn


@dataclass
class CLIPConfig:
    hidden_size: int = 512
    num_attention_heads: int = 8
    attention_dropout: float = 0.0


class CLIPAttention(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.embed_dim = config.hidden_size
        self.num_heads = config.num_attention_heads
        self.head_dim = self.embed_dim // self.num_heads
        self.dropout = config.attention_dropout
        self.k_proj = nn.Linear(self.embed_dim, self.embed_dim)
        self.v_proj = nn.Linear(self.embed_dim, self.embed_dim)
        self.q_proj = nn.Linear(self.embed_dim, self.embed_dim)
        self.out_proj = nn.Linear(self.embed_dim, self.embed_dim)

    def _shape(self, tensor):
        return tensor.view(*tensor.shape[:2], self.num_heads, self.head_dim).transpose(1, 2)

    def forward(self, hidden_states, attention_mask=None, output_attentions=False):
        q = self._shape(self.q_proj(hidden_states))
        k = self._shape(self.k_proj(hidden_states))
        v = self._shape(self.v_proj(hidden_states))
        attn_weights = torch.matmul(q, k.transpose(2, 3)) * self.embed_dim**-0.5
        if attention_mask is not None:
            attn_weights = attn_weights.masked_fill(attention_mask == 0, torch.finfo(attn_weights.dtype).min)
        attn_weights = nn.functional.softmax(attn_weights, dim=-1)
        attn_probs = nn.functional.dropout(attn_weights, p=self.dropout, training=self.training)
        attn_output = torch.matmul(attn_probs, v).transpose(1, 2).flatten(2)
        return self.out_proj(attn_output), (attn_weights if output_attentions else None)
