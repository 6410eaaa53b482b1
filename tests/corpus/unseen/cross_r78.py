import torch
from torch import nn


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.num_heads = num_heads
        self.in_w = nn.Parameter(torch.empty(3, hidden_dim, hidden_dim))
        for w in self.in_w.data:
            nn.init.orthogonal_(w)
        self.in_b = nn.Parameter(torch.zeros(3, 1, 1, hidden_dim))
        self.proj = nn.Linear(hidden_dim, hidden_dim)
        self.attn_dropout = nn.Dropout(dropout)

    def _to_heads(self, src, i):
        y = src @ self.in_w[i] + self.in_b[i]
        # fold heads into the batch: (H*B, T, dh)
        return torch.cat(y.chunk(self.num_heads, dim=-1), dim=0)

    def forward(self, query, key, value, mask=None):
        q, k, v = (self._to_heads(t, i) for i, t in enumerate((query, key, value)))
        logits = torch.bmm(q, k.transpose(1, 2)) / q.shape[-1] ** 0.5
        if mask is not None:
            logits = logits.masked_fill(mask.repeat(self.num_heads, 1, 1) == 0, float("-inf"))
        ctx = torch.bmm(self.attn_dropout(logits.softmax(dim=-1)), v)
        return self.proj(torch.cat(ctx.split(query.shape[0], dim=0), dim=-1))
