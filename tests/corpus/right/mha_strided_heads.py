# right: mha
import torch
from torch import nn
from einops import rearrange


class MultiHeadAttention(nn.Module):
    """Head h owns channels h, h+H, h+2H, ... — consistently, also when merging."""

    def __init__(self, dim, heads, dropout=0.1):
        super().__init__()
        self.heads = heads
        self.wq = nn.Linear(dim, dim)
        self.wk = nn.Linear(dim, dim)
        self.wv = nn.Linear(dim, dim)
        self.wo = nn.Linear(dim, dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        q, k, v = (rearrange(f(x), "b t (d h) -> b h t d", h=self.heads) for f in (self.wq, self.wk, self.wv))
        a = q @ rearrange(k, "b h t d -> b h d t") / q.shape[-1] ** 0.5
        if attention_mask is not None:
            a = a.masked_fill(attention_mask == 0, -torch.inf)
        a = self.dropout(a.softmax(dim=-1))
        return self.wo(rearrange(a @ v, "b h t d -> b t (d h)"))
