# attn-kata: cross-cache
import math
import torch
import torch.nn as nn


class CachedCrossAttention(nn.Module):
    """fairseq's static_kv, rewritten"""

    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.scaling = self.head_dim ** -0.5
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)

    def _shape(self, t):
        return t.view(t.size(0), -1, self.num_heads, self.head_dim).transpose(1, 2)

    def forward(self, x, memory, memory_lengths, cache=None):
        bsz, tgt_len, dim = x.shape
        q = self._shape(self.q_proj(x) * self.scaling)
        if cache is None:
            cache = {
                "prev_key": self._shape(self.k_proj(memory)),
                "prev_value": self._shape(self.v_proj(memory)),
                "lengths": memory_lengths,
            }
        k, v = cache["prev_key"], cache["prev_value"]
        src = torch.arange(k.size(2), device=x.device)
        padded = src[None, :] >= memory_lengths[:, None]
        attn = q @ k.transpose(2, 3)
        attn = attn.masked_fill(padded[:, None, None, :], torch.finfo(attn.dtype).min)
        out = attn.softmax(dim=-1) @ v
        return self.out_proj(out.transpose(1, 2).reshape(bsz, tgt_len, dim)), cache
