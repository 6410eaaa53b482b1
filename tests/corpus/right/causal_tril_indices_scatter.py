# right: causal
"""Only the pairs that may attend are computed: gathered, softmaxed by group, summed by index_add."""
import math

import torch
from torch import nn


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, block_size):
        super().__init__()
        self.num_heads, self.head_dim = num_heads, hidden_dim // num_heads
        self.c_attn = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.c_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = self.c_attn(x).split(width, dim=2)
        q, k, v = (part.view(batch, length, self.num_heads, self.head_dim) for part in (q, k, v))
        rows, columns = torch.tril_indices(length, length, device=x.device)
        # (batch, pairs, heads)
        logits = (q.index_select(1, rows) * k.index_select(1, columns)).sum(-1) / math.sqrt(self.head_dim)
        group = rows[None, :, None].expand_as(logits)
        floor = torch.full_like(logits[:, :1], -math.inf).expand(-1, length, -1)
        top = floor.scatter_reduce(1, group, logits.detach(), reduce="amax")
        e = torch.exp(logits - top.gather(1, group))
        total = torch.zeros_like(top).scatter_add(1, group, e)
        weights = e / total.gather(1, group)
        pairs = weights.unsqueeze(-1) * v.index_select(1, columns)
        context = torch.zeros_like(q).index_add(1, rows, pairs)
        return self.c_proj(context.reshape(batch, length, width))
