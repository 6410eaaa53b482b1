import torch
from torch import nn


class GroupedAttention(nn.Module):
    """Grouped-query attention; one group is multi-query."""

    def __init__(self, dim: int, n_heads: int, n_kv_heads: int = 1):
        super().__init__()
        self.n_heads, self.n_kv_heads, self.depth = n_heads, n_kv_heads, dim // n_heads
        self.q_proj = nn.Linear(dim, dim)
        self.k_proj = nn.Linear(dim, n_kv_heads * self.depth)
        self.v_proj = nn.Linear(dim, n_kv_heads * self.depth)
        self.out_proj = nn.Linear(dim, dim)

    def forward(self, x, mask=None):
        b, t, e = x.shape
        q = self.q_proj(x).view(b, t, self.n_heads, self.depth).transpose(1, 2)
        k = self.k_proj(x).view(b, t, self.n_kv_heads, self.depth).transpose(1, 2)
        v = self.v_proj(x).view(b, t, self.n_kv_heads, self.depth).transpose(1, 2)
        k = k.repeat_interleave(self.n_heads // self.n_kv_heads, dim=1)
        v = v.repeat_interleave(self.n_heads // self.n_kv_heads, dim=1)
        att = q @ k.mT / self.depth**0.5
        if mask is not None:
            att = att.masked_fill(~mask.bool(), torch.finfo(att.dtype).min)
        return self.out_proj((att.softmax(-1) @ v).transpose(1, 2).reshape(b, t, e))
