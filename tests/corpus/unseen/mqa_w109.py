import torch
import torch.nn as nn


class MultiQueryAttention(nn.Module):
    """Multi-query attention as in PaLM / Falcon: fused projection, one kv head."""

    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.hidden_dim = hidden_dim
        self.head_dim = hidden_dim // num_heads
        self.query_key_value = nn.Linear(hidden_dim, hidden_dim + 2 * self.head_dim)
        self.dense = nn.Linear(hidden_dim, hidden_dim)

    def _split(self, fused):
        C, D = self.hidden_dim, self.head_dim
        q = fused[..., :C]
        k = fused[..., C : C + D]
        v = fused[..., C:-D]
        return q, k, v

    def forward(self, x, attention_mask=None):
        B, T, C = x.shape
        q, k, v = self._split(self.query_key_value(x))
        q = q.view(B, T, self.num_heads, self.head_dim).transpose(1, 2)
        k, v = k[:, None], v[:, None]
        scores = q @ k.transpose(-1, -2) / self.head_dim ** 0.5
        if attention_mask is not None:
            scores = scores.masked_fill(attention_mask == 0, torch.finfo(scores.dtype).min)
        y = scores.softmax(-1) @ v
        return self.dense(y.transpose(1, 2).reshape(B, T, C))
