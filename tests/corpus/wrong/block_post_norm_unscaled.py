# wrong: block scale-missing line 26, post-norm line 32
import torch
from torch import nn


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.0):
        super().__init__()
        self.num_heads = num_heads
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, hidden_dim)
        self.value = nn.Linear(hidden_dim, hidden_dim)
        self.out = nn.Linear(hidden_dim, hidden_dim)
        self.norm1 = nn.LayerNorm(hidden_dim)
        self.norm2 = nn.LayerNorm(hidden_dim)
        self.ff = nn.Sequential(
            nn.Linear(hidden_dim, 4 * hidden_dim), nn.GELU(), nn.Linear(4 * hidden_dim, hidden_dim)
        )
        self.drop = nn.Dropout(dropout)

    def self_attention(self, x):
        b, t, c = x.shape
        q = self.query(x).view(b, t, self.num_heads, -1).transpose(1, 2)
        k = self.key(x).view(b, t, self.num_heads, -1).transpose(1, 2)
        v = self.value(x).view(b, t, self.num_heads, -1).transpose(1, 2)
        s = q @ k.transpose(-2, -1)
        s = s.masked_fill(torch.triu(torch.ones(t, t, device=x.device), diagonal=1) == 1, float("-inf"))
        w = self.drop(torch.softmax(s, dim=-1))
        return self.out((w @ v).transpose(1, 2).contiguous().view(b, t, c))

    def forward(self, x):
        x = self.norm1(x + self.drop(self.self_attention(x)))
        x = self.norm2(x + self.drop(self.ff(x)))
        return x
