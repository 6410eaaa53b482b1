# attn-kata: cross
import math
import torch
import torch.nn as nn


class CrossAttention(nn.Module):
    """decoder -> encoder attention; Wk and Wv kept in one matrix"""

    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.n, self.d = num_heads, hidden_dim // num_heads
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.kv_proj = nn.Linear(hidden_dim, 2 * hidden_dim)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        B, Tq, C = query.shape
        Tk = key.shape[1]
        k = self.kv_proj(key)[..., :C]
        v = self.kv_proj(key)[..., C:]
        q = self.q_proj(query).view(B, Tq, self.n, self.d).transpose(1, 2)
        k = k.reshape(B, Tk, self.n, self.d).transpose(1, 2)
        v = v.reshape(B, Tk, self.n, self.d).transpose(1, 2)
        s = q @ k.transpose(2, 3) / math.sqrt(self.d)
        if mask is not None:
            s = s.masked_fill(mask.unsqueeze(1) == 0, float("-inf"))
        a = self.dropout(s.softmax(-1))
        return self.out_proj((a @ v).transpose(1, 2).reshape(B, Tq, C))
