import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class CachedCrossAttention(nn.Module):
    """BART-style: encoder_attn with a static past_key_value"""

    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.embed_dim = hidden_dim
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)

    def _shape(self, tensor):
        return tensor.view(tensor.size(0), -1, self.num_heads, self.head_dim).transpose(1, 2)

    def forward(self, x, memory, memory_lengths, cache=None):
        bsz, tgt_len, _ = x.size()
        query_states = self._shape(self.q_proj(x)) / math.sqrt(self.head_dim)
        if cache is not None:
            # reuse k, v of the encoder
            key_states, value_states = cache
        else:
            key_states = self._shape(self.k_proj(memory))
            value_states = self._shape(self.v_proj(memory))
        past_key_value = (key_states, value_states)

        src_len = key_states.size(2)
        positions = torch.arange(src_len, device=x.device)
        padding_mask = positions[None, :] >= memory_lengths[:, None].to(x.device)
        attn_weights = torch.matmul(query_states, key_states.transpose(2, 3))
        attn_weights = attn_weights.masked_fill(
            padding_mask[:, None, None, :], torch.finfo(attn_weights.dtype).min
        )
        attn_weights = F.softmax(attn_weights, dim=-1)
        attn_output = torch.matmul(attn_weights, value_states)
        attn_output = attn_output.transpose(1, 2).reshape(bsz, tgt_len, self.embed_dim)
        return self.out_proj(attn_output), past_key_value
