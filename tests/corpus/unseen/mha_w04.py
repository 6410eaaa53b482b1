import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1):
        super().__init__()
        self.split = (num_heads, hidden_dim // num_heads)
        self.query = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.key = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.value = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.proj = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = dropout

    def forward(self, x, attention_mask=None):
        q = self.query(x).unflatten(-1, self.split)
        k = self.key(x).unflatten(-1, self.split)
        v = self.value(x).unflatten(-1, self.split)

        logits = torch.einsum("bqhd,bkhd->bhqk", q, k)
        logits = logits * (1 / math.sqrt(q.shape[-2]))
        if attention_mask is not None:
            logits = logits.masked_fill(attention_mask == 0, -math.inf)
        probs = F.dropout(F.softmax(logits, dim=-1), self.dropout, training=self.training)
        mixed = torch.einsum("bhqk,bkhd->bqhd", probs, v)
        return self.proj(mixed.flatten(-2))
