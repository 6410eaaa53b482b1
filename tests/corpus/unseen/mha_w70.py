import math

import torch
from torch import nn


def one_head(x, proj, mask, drop):
    """Pure function of one head: x (B, L, D), mask (B, L, L) or None."""
    q, k, v = proj(x).chunk(3, dim=-1)
    s = torch.einsum("bid,bjd->bij", q, k) / math.sqrt(q.shape[-1])
    if mask is not None:
        s = torch.where(mask == 0, torch.finfo(s.dtype).min, s)
    return torch.einsum("bij,bjd->bid", drop(torch.softmax(s, -1)), v)


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        assert hidden_dim % num_heads == 0
        head_dim = hidden_dim // num_heads
        self.heads = nn.ModuleList(
            nn.Linear(hidden_dim, 3 * head_dim, bias=False) for _ in range(num_heads)
        )
        self.out = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        n_batch, length, _ = x.shape
        if attention_mask is None:
            masks = [None] * len(self.heads)
        else:
            masks = attention_mask.expand(n_batch, len(self.heads), length, length).unbind(1)

        # close over the weights, leave the data as arguments
        fns = [lambda y, m: one_head(y, proj, m, self.drop) for proj in self.heads]
        outs = [fn(x, m) for fn, m in zip(fns, masks)]
        return self.out(torch.cat(outs, dim=-1))
