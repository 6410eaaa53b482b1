# wrong: mha values-from-keys line 23
import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.query_proj = nn.Linear(hidden_dim, hidden_dim)
        self.key_proj = nn.Linear(hidden_dim, hidden_dim)
        self.value_proj = nn.Linear(hidden_dim, hidden_dim)
        self.output_proj = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def heads(self, t):
        return t.view(*t.shape[:2], self.num_heads, self.head_dim).transpose(1, 2)

    def forward(self, x, attention_mask=None):
        query = self.heads(self.query_proj(x))
        key = self.heads(self.key_proj(x))
        value = self.heads(self.key_proj(x))
        scores = torch.matmul(query, key.mT) / self.head_dim ** 0.5
        if attention_mask is not None:
            scores = scores.masked_fill(attention_mask == 0, float("-inf"))
        weights = self.dropout(scores.softmax(dim=-1))
        context = torch.matmul(weights, value).transpose(1, 2)
        return self.output_proj(context.reshape(x.shape))
