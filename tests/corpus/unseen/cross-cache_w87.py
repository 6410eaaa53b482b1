import torch
import torch.nn as nn


class CachedCrossAttention(nn.Module):
    """Encoder-decoder attention with static_kv"""

    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.scaling = self.head_dim ** -0.5
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)

    def _shape(self, tensor, bsz):
        return tensor.view(bsz, -1, self.num_heads, self.head_dim).transpose(1, 2).contiguous()

    def forward(self, x, memory, memory_lengths, cache=None):
        bsz, tgt_len, embed_dim = x.shape
        query_states = self._shape(self.q_proj(x) * self.scaling, bsz)

        if cache is None:
            key_states = self._shape(self.k_proj(memory), bsz)
            value_states = self._shape(self.v_proj(memory), bsz)
            cache = (key_states, value_states)
        else:
            key_states, value_states = cache

        src_len = key_states.size(2)
        positions = torch.arange(src_len, device=x.device)
        padded = positions[None, :] >= memory_lengths[:, None]
        attn_weights = query_states @ key_states.transpose(-1, -2)
        attn_weights = attn_weights.masked_fill(padded[:, None, None, :], torch.finfo(x.dtype).min)
        attn_probs = attn_weights.softmax(dim=-1)
        attn_output = attn_probs @ value_states
        attn_output = attn_output.transpose(1, 2).reshape(bsz, tgt_len, embed_dim)
        return self.out_proj(attn_output), cache
