# wrong: cross-cache cache-recomputed line 29, memory-read-again line 25
# fair: cache-recomputed 25, 26, 29, 30, memory-read-again 25, 27, 29, 30
import math

import torch
import torch.nn as nn


class CachedCrossAttention(nn.Module):
    def __init__(self, embed_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = embed_dim // num_heads
        self.q_proj = nn.Linear(embed_dim, embed_dim)
        self.k_proj = nn.Linear(embed_dim, embed_dim)
        self.v_proj = nn.Linear(embed_dim, embed_dim)
        self.out_proj = nn.Linear(embed_dim, embed_dim)

    def _shape(self, states):
        bsz, seq_len, _ = states.size()
        return states.view(bsz, seq_len, self.num_heads, self.head_dim).transpose(1, 2).contiguous()

    def forward(self, hidden_states, encoder_hidden_states, lengths, past_key_value=None):
        bsz, tgt_len, embed_dim = hidden_states.size()
        query_states = self._shape(self.q_proj(hidden_states))
        if past_key_value is not None and past_key_value[0].size(2) == encoder_hidden_states.size(1):
            key_states, value_states, visible = past_key_value
        else:
            key_states = self._shape(self.k_proj(encoder_hidden_states))
            value_states = self._shape(self.v_proj(encoder_hidden_states))
            positions = torch.arange(key_states.size(2), device=lengths.device)
            visible = positions[None, :] < lengths[:, None]
        present = (key_states, value_states, visible)
        scores = torch.matmul(query_states, key_states.transpose(2, 3)) / math.sqrt(self.head_dim)
        scores = scores.masked_fill(~visible[:, None, None, :], torch.finfo(scores.dtype).min)
        probs = nn.functional.softmax(scores, dim=-1)
        output = torch.matmul(probs, value_states)
        output = output.transpose(1, 2).reshape(bsz, tgt_len, embed_dim)
        return self.out_proj(output), present
