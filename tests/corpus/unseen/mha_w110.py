import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiHeadAttention(nn.Module):

    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        assert hidden_dim % num_heads == 0
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, hidden_dim)
        self.value = nn.Linear(hidden_dim, hidden_dim)
        self.out = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def split_heads(self, t):
        B, T, _ = t.shape
        return t.view(B, self.num_heads, T, self.head_dim)

    def merge_heads(self, t):
        B, H, T, D = t.shape
        return t.transpose(1, 2).reshape(B, T, H * D)

    def forward(self, x, attention_mask=None):
        q = self.split_heads(self.query(x))
        k = self.split_heads(self.key(x))
        v = self.split_heads(self.value(x))
        att = q @ k.transpose(-2, -1) / math.sqrt(self.head_dim)
        if attention_mask is not None:
            att = att.masked_fill(attention_mask == 0, torch.finfo(att.dtype).min)
        att = self.dropout(F.softmax(att, dim=-1))
        return self.out(self.merge_heads(att @ v))
