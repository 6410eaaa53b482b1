# wrong: mha causal-unasked line 24
import torch
from torch import nn


class Heads(nn.Module):
    def __init__(self, dim, heads, longest=1024):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(dim, 3 * dim)
        self.proj = nn.Linear(dim, dim)
        later = torch.ones(longest, longest).triu(1)
        self.register_buffer("later", later.bool(), persistent=False)

    def forward(self, x, attention_mask=None):
        n, t, dim = x.shape
        q, k, v = (
            one.view(n, t, self.heads, -1).transpose(1, 2) for one in self.qkv(x).chunk(3, dim=-1)
        )
        scores = torch.einsum("nhid,nhjd->nhij", q, k) * q.shape[-1] ** -0.5
        lowest = torch.finfo(scores.dtype).min
        if attention_mask is not None:
            scores = scores.masked_fill(attention_mask == 0, lowest)
        scores = scores.masked_fill(self.later[:t, :t], lowest)
        mixed = torch.einsum("nhij,nhjd->nihd", scores.softmax(-1), v)
        return self.proj(mixed.reshape(n, t, dim))
