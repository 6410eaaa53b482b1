# GPTBigCode / StarCoder: query heads stacked along the length, so it is one bmm against the single key
import torch
import torch.nn as nn


class MultiQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.embed_dim = hidden_dim
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.kv_dim = self.head_dim
        if self.head_dim * num_heads != hidden_dim:
            raise ValueError("`embed_dim` must be divisible by num_heads")
        self.c_attn = nn.Linear(hidden_dim, hidden_dim + 2 * self.kv_dim)
        self.c_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, attention_mask=None):
        query, key, value = self.c_attn(x).split((self.embed_dim, self.kv_dim, self.kv_dim), dim=2)
        batch_size, query_length, _ = query.shape
        key_length = key.size(1)
        # (batch, length * heads, head_dim) @ (batch, head_dim, key_length): row = (position, head)
        flat = query.reshape(batch_size, query_length * self.num_heads, self.head_dim)
        weights = torch.bmm(flat, key.transpose(1, 2)) * self.head_dim**-0.5
        weights = weights.view(batch_size, query_length, self.num_heads, key_length)
        if attention_mask is not None:
            m = attention_mask.transpose(1, 2)           # (batch, length or 1, heads or 1, key_length)
            weights = torch.where(m.bool(), weights, torch.finfo(weights.dtype).min)
        weights = weights.softmax(dim=-1).view(batch_size, -1, key_length)
        return self.c_proj(torch.bmm(weights, value).view(batch_size, query_length, self.embed_dim))
