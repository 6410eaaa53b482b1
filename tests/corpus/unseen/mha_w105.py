import torch
import torch.nn as nn
import torch.nn.functional as F


class HeadsMixin:
    num_heads: int

    def split(self, t):
        b, n, c = t.shape
        return t.reshape(b, n, self.num_heads, c // self.num_heads).permute(0, 2, 1, 3)

    def merge(self, t):
        b, h, n, d = t.shape
        return t.reshape(b, n, h * d)


class MultiHeadAttention(HeadsMixin, nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        assert hidden_dim % num_heads == 0, "hidden_dim must be divisible by num_heads"
        self.num_heads = num_heads
        self.temperature = (hidden_dim // num_heads) ** 0.5
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        q = self.split(self.q_proj(x))
        k = self.split(self.k_proj(x))
        v = self.split(self.v_proj(x))
        attn = torch.matmul(q / self.temperature, k.transpose(2, 3))
        if attention_mask is not None:
            attn = attn.masked_fill(attention_mask == 0, -torch.inf)
        attn = self.dropout(F.softmax(attn, dim=-1))
        return self.out_proj(self.merge(attn @ v))
