# wrong: mha batch-fixed line 27
import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.query_proj = nn.Linear(hidden_dim, hidden_dim)
        self.key_proj = nn.Linear(hidden_dim, hidden_dim)
        self.value_proj = nn.Linear(hidden_dim, hidden_dim)
        self.output_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, attention_mask=None):
        batch, length, _ = x.shape
        shape = (batch, length, self.num_heads, self.head_dim)
        query = self.query_proj(x).view(shape).transpose(1, 2)
        key = self.key_proj(x).view(shape).transpose(1, 2)
        value = self.value_proj(x).view(shape).transpose(1, 2)
        scores = query @ key.transpose(-2, -1) / self.head_dim ** 0.5
        if attention_mask is not None:
            scores = scores.masked_fill(attention_mask == 0, -1e9)
        context = (scores.softmax(dim=-1) @ value).transpose(1, 2)
        context = context.reshape(batch, length, -1).squeeze()
        return self.output_proj(context)
