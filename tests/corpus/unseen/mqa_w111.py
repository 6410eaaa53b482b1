import torch
from torch import nn


class MultiQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.kv_proj = nn.Linear(hidden_dim, 2 * self.head_dim)
        self.dense = nn.Linear(hidden_dim, hidden_dim)

    def _prepare_mask(self, attention_mask, scores):
        if attention_mask.size(2) == 1:
            # (batch, 1, 1, length) -> (batch, 1, length, length)
            attention_mask = attention_mask * attention_mask.transpose(2, 3)
        bias = torch.zeros_like(attention_mask, dtype=scores.dtype)
        return bias.masked_fill(attention_mask == 0, torch.finfo(scores.dtype).min)

    def forward(self, x, attention_mask=None):
        batch, length, width = x.shape
        query = self.q_proj(x).view(batch, length, self.num_heads, self.head_dim).transpose(1, 2)
        key, value = self.kv_proj(x).unsqueeze(1).chunk(2, dim=-1)
        scores = torch.matmul(query, key.transpose(-1, -2)) / self.head_dim ** 0.5
        if attention_mask is not None:
            scores = scores + self._prepare_mask(attention_mask, scores)
        probs = nn.functional.softmax(scores, dim=-1)
        context = torch.matmul(probs, value)
        context = context.transpose(1, 2).reshape(batch, length, width)
        return self.dense(context)
