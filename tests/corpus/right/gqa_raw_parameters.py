# right: gqa
import math

import torch
from torch import nn


class GroupedQueryAttention(nn.Module):
    """Weights as in the paper's code: (width, heads, head_dim)."""

    def __init__(self, dim, heads, kv_heads, dropout=0.0):
        super().__init__()
        depth = dim // heads
        self.heads, self.kv_heads, self.depth = heads, kv_heads, depth
        self.w_q = nn.Parameter(torch.randn(dim, heads, depth) / math.sqrt(dim))
        self.w_k = nn.Parameter(torch.randn(dim, kv_heads, depth) / math.sqrt(dim))
        self.w_v = nn.Parameter(torch.randn(dim, kv_heads, depth) / math.sqrt(dim))
        self.w_o = nn.Parameter(torch.randn(heads, depth, dim) / math.sqrt(dim))
        self.drop = nn.Dropout(dropout)

    def forward(self, inputs, mask=None):
        q = torch.einsum("bte,ehd->bhtd", inputs, self.w_q)
        k = torch.einsum("bte,egd->bgtd", inputs, self.w_k)
        v = torch.einsum("bte,egd->bgtd", inputs, self.w_v)
        times = self.heads // self.kv_heads
        k = torch.repeat_interleave(k, times, dim=1)
        v = torch.repeat_interleave(v, times, dim=1)
        logits = torch.einsum("bhtd,bhsd->bhts", q, k) / math.sqrt(self.depth)
        if mask is not None:
            logits = logits.masked_fill(mask == 0, torch.finfo(logits.dtype).min)
        probs = self.drop(torch.softmax(logits, dim=-1))
        return torch.einsum("bhts,bhsd,hde->bte", probs, v, self.w_o)
