# from memory of GPT-NeoX / Megatron: fused, per head [q|k|v], batch folded into heads for baddbmm
import math
import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.np = num_heads
        self.hn = hidden_dim // num_heads
        if self.np * self.hn != hidden_dim:
            raise ValueError("hidden_dim must be a multiple of num_heads")
        self.norm_factor = math.sqrt(self.hn)
        self.query_key_value = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.dense = nn.Linear(hidden_dim, hidden_dim)
        self.attention_dropout = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        hidden_states = x.transpose(0, 1)                       # [sq, b, h]
        mixed = self.query_key_value(hidden_states)             # [sq, b, 3h]
        mixed = mixed.view(*mixed.shape[:2], self.np, 3 * self.hn)
        q, k, v = mixed.split(self.hn, dim=-1)                  # each [sq, b, np, hn]
        sq, b = q.shape[:2]
        q = q.reshape(sq, b * self.np, self.hn).transpose(0, 1)
        k = k.reshape(sq, b * self.np, self.hn).permute(1, 2, 0)
        scores = torch.baddbmm(q.new_zeros(1, 1, 1).expand(b * self.np, sq, sq), q, k, beta=0.0, alpha=1.0 / self.norm_factor)
        scores = scores.view(b, self.np, sq, sq)
        if attention_mask is not None:
            scores = scores.masked_fill(attention_mask == 0, -10000.0 if scores.dtype == torch.float16 else -1e9)
        probs = self.attention_dropout(scores.softmax(dim=-1)).view(b * self.np, sq, sq)
        ctx = torch.bmm(probs, v.reshape(sq, b * self.np, self.hn).transpose(0, 1))   # [b*np, sq, hn]
        ctx = ctx.view(b, self.np, sq, self.hn).permute(2, 0, 1, 3).reshape(sq, b, -1)
        return self.dense(ctx).transpose(0, 1)
