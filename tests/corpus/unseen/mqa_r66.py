"""After GPTBigCode (StarCoder): c_attn makes all query heads, then one key and one value.
The heads are folded into the length for the two products, so each is a plain baddbmm."""
import torch
import torch.nn.functional as F
from torch import nn


class MultiQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.embed_dim = hidden_dim
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.kv_heads = 1
        self.kv_dim = self.kv_heads * self.head_dim
        self.scale_attn_weights = True
        self.c_attn = nn.Linear(self.embed_dim, self.embed_dim + 2 * self.kv_dim)
        self.c_proj = nn.Linear(self.embed_dim, self.embed_dim)

    def _attn(self, query, key, value, attention_mask=None):
        scale = self.head_dim**-0.5 if self.scale_attn_weights else 1.0
        batch_size, query_length, _ = query.shape
        key_length = key.size(1)
        # (batch, q_len, heads * head_dim) -> (batch, q_len * heads, head_dim)
        query = query.reshape(batch_size, query_length * self.num_heads, self.head_dim)
        key = key.transpose(-1, -2)
        w = torch.baddbmm(
            query.new_empty(1, 1, 1).zero_(), query, key, beta=0, alpha=scale
        ).view(batch_size, query_length, self.num_heads, key_length)
        if attention_mask is not None:
            keep = attention_mask.transpose(1, 2).bool()       # (b, q or 1, heads or 1, k)
            w = torch.where(keep, w, torch.full([], torch.finfo(w.dtype).min, dtype=w.dtype, device=w.device))
        w = F.softmax(w, dim=-1)
        w = w.view(batch_size, query_length * self.num_heads, key_length)
        return torch.bmm(w, value).view(batch_size, query_length, self.embed_dim)

    def forward(self, x, attention_mask=None):
        query, key_value = self.c_attn(x).split((self.embed_dim, 2 * self.kv_dim), dim=2)
        key, value = key_value.split((self.head_dim, self.head_dim), dim=-1)
        return self.c_proj(self._attn(query, key, value, attention_mask))
