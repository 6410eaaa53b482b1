import torch
import torch.nn as nn


class MultiQueryAttention(nn.Module):
    # after the GPTBigCode trick: fold the heads into the query length, one bmm for all of them
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.embed_dim = hidden_dim
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.kv_dim = self.head_dim
        self.c_attn = nn.Linear(self.embed_dim, self.embed_dim + 2 * self.kv_dim)
        self.c_proj = nn.Linear(self.embed_dim, self.embed_dim)

    def _attn(self, query, key, value, attention_mask):
        batch_size, length, _ = query.shape
        # (batch_size, length * num_heads, head_dim) x (batch_size, head_dim, length)
        folded = query.reshape(batch_size, length * self.num_heads, self.head_dim)
        scores = torch.bmm(folded, key.transpose(1, 2)) * self.head_dim ** -0.5
        scores = scores.view(batch_size, self.num_heads, length, length)
        if attention_mask is not None:
            scores = scores.masked_fill(attention_mask == 0, torch.finfo(scores.dtype).min)
        weights = scores.softmax(dim=-1)
        context = weights @ value.unsqueeze(1)
        return context.transpose(1, 2).reshape(batch_size, length, self.embed_dim)

    def forward(self, x, attention_mask=None):
        query, key, value = self.c_attn(x).split((self.embed_dim, self.kv_dim, self.kv_dim), dim=2)
        return self.c_proj(self._attn(query, key, value, attention_mask))
