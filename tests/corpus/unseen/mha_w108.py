import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        assert hidden_dim % num_heads == 0
        self.D = hidden_dim
        self.H = num_heads
        self.hd = hidden_dim // num_heads
        self.in_proj = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        B, T, D = x.shape
        qkv = self.in_proj(x)
        out = torch.zeros_like(x)
        if attention_mask is not None:
            attention_mask = attention_mask.expand(B, self.H, T, T)
        for h in range(self.H):
            lo, hi = h * self.hd, (h + 1) * self.hd
            q = qkv[:, :, lo:hi]
            k = qkv[:, :, D + lo : D + hi]
            v = qkv[:, :, D + lo : D + hi]
            s = q @ k.transpose(1, 2) / self.hd**0.5
            if attention_mask is not None:
                s = s.masked_fill(attention_mask[:, h] == 0, float("-inf"))
            p = self.dropout(torch.softmax(s, dim=-1))
            out[:, :, lo:hi] = p @ v
        return self.out_proj(out)
