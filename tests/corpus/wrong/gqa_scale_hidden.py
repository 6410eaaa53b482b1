# wrong: gqa scale-by-hidden-dim line 25
# fair: scale-by-hidden-dim 16
import torch
from torch import nn
from torch.nn import functional as F


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads):
        super().__init__()
        self.n_head = num_heads
        self.n_kv = num_kv_heads
        self.hd = hidden_dim // num_heads
        self.c_attn = nn.Linear(hidden_dim, (num_heads + 2 * num_kv_heads) * self.hd)
        self.c_proj = nn.Linear(hidden_dim, hidden_dim)
        self.scale = hidden_dim**-0.5

    def forward(self, x, attention_mask=None):
        B, T, C = x.size()
        q, k, v = self.c_attn(x).split([C, self.n_kv * self.hd, self.n_kv * self.hd], dim=2)
        q = q.view(B, T, self.n_head, self.hd).transpose(1, 2)
        rep = self.n_head // self.n_kv
        k = k.view(B, T, self.n_kv, self.hd).repeat_interleave(rep, dim=2).transpose(1, 2)
        v = v.view(B, T, self.n_kv, self.hd).repeat_interleave(rep, dim=2).transpose(1, 2)
        att = (q @ k.transpose(-2, -1)) * self.scale
        if attention_mask is not None:
            att = att.masked_fill(attention_mask == 0, float("-inf"))
        att = F.softmax(att, dim=-1)
        y = att @ v
        return self.c_proj(y.transpose(1, 2).contiguous().view(B, T, C))
