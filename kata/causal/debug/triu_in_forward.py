import torch
import torch.nn.functional as F
from torch import nn


class CausalAttention(nn.Module):
    """No block size: the mask is made for whatever arrives, where it arrives."""

    def __init__(self, dim, heads, dropout=0.1):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(dim, 3 * dim, bias=False)
        self.proj = nn.Linear(dim, dim, bias=False)
        self.dropout = dropout

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4)
        future = torch.ones(t, t, dtype=torch.bool, device=x.device).triu(diagonal=1)
        att = (q @ k.transpose(-1, -2)) * (c // self.heads) ** -0.5
        att = att.masked_fill(future, torch.finfo(att.dtype).min).softmax(-1)
        att = F.dropout(att, self.dropout, training=self.training)
        return self.proj((att @ v).transpose(1, 2).flatten(2))
