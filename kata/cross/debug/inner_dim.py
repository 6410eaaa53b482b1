import torch
from torch import nn


class CrossAttention(nn.Module):
    """x looks at context. inner width = heads * dim_head"""

    def __init__(self, query_dim, context_dim, heads, dim_head, dropout=0.1):
        super().__init__()
        inner_dim = heads * dim_head
        self.heads = heads
        self.scale = dim_head**-0.5
        self.to_q = nn.Linear(query_dim, inner_dim, bias=False)
        self.to_k = nn.Linear(context_dim, inner_dim, bias=False)
        self.to_v = nn.Linear(context_dim, inner_dim, bias=False)
        self.attn_drop = nn.Dropout(dropout)
        self.to_out = nn.Sequential(nn.Linear(inner_dim, query_dim))

    def head_to_batch(self, t):
        b, n, c = t.shape
        return (
            t.reshape(b, n, self.heads, c // self.heads)
            .permute(0, 2, 1, 3)
            .reshape(b * self.heads, n, -1)
        )

    def batch_to_head(self, t):
        bh, n, d = t.shape
        return (
            t.reshape(bh // self.heads, self.heads, n, d)
            .permute(0, 2, 1, 3)
            .reshape(bh // self.heads, n, -1)
        )

    def forward(self, x, context, mask=None):
        q, k, v = (
            self.head_to_batch(t) for t in (self.to_q(x), self.to_k(context), self.to_v(context))
        )
        start = torch.zeros(1, dtype=q.dtype, device=q.device)
        if mask is not None:
            start = torch.zeros(mask.shape, dtype=q.dtype, device=q.device)
            start = start.masked_fill(mask == 0, float("-inf")).repeat_interleave(self.heads, dim=0)
        sim = torch.baddbmm(start, q, k.transpose(1, 2), beta=1, alpha=self.scale)
        attn = self.attn_drop(sim.softmax(dim=-1))
        return self.to_out(self.batch_to_head(torch.bmm(attn, v)))
