import torch
from torch import nn
from torch.nn import functional as F


class MultiHeadAttention(nn.Module):
    """BERT-like: an extended mask, 0 where it may attend and a large negative number where not."""

    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.num_attention_heads = num_heads
        self.attention_head_size = hidden_dim // num_heads
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, hidden_dim)
        self.value = nn.Linear(hidden_dim, hidden_dim)
        self.dense = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def transpose_for_scores(self, x):
        return x.view(*x.shape[:2], self.num_attention_heads, self.attention_head_size).transpose(1, 2)

    @staticmethod
    def extend(attention_mask, dtype):
        bias = attention_mask.to(dtype)
        bias -= 1.0
        bias *= -torch.finfo(dtype).min
        return bias

    def forward(self, x, attention_mask=None):
        q = self.transpose_for_scores(self.query(x))
        k = self.transpose_for_scores(self.key(x))
        v = self.transpose_for_scores(self.value(x))
        scores = q @ k.transpose(-1, -2) / self.attention_head_size**0.5
        if attention_mask is not None:
            scores = scores + self.extend(attention_mask, scores.dtype)
        probs = self.dropout(F.softmax(scores, dim=-1))
        context = (probs @ v).transpose(1, 2).contiguous()
        return self.dense(context.view(*context.shape[:2], -1))
