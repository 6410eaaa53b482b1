# right: gqa
import torch
from torch import nn


class GroupedHeads(nn.Module):
    def __init__(self, width, query_heads, kv_heads):
        super().__init__()
        self.many, self.few, self.size = query_heads, kv_heads, width // query_heads
        self.for_queries = nn.Linear(width, width)
        self.for_keys = nn.Linear(width, kv_heads * self.size)
        self.for_values = nn.Linear(width, kv_heads * self.size)
        self.last = nn.Linear(width, width)

    def heads(self, x, many):
        return x.unflatten(-1, (many, self.size)).transpose(1, 2)

    def forward(self, values, keys, queries, mask=None):
        q = self.heads(self.for_queries(queries), self.many)
        k, v = (
            self.heads(made, self.few).repeat_interleave(self.many // self.few, dim=1)
            for made in (self.for_keys(keys), self.for_values(values))
        )
        scores = q @ k.transpose(-2, -1) / self.size**0.5
        if mask is not None:
            scores = torch.where(mask.bool(), scores, torch.finfo(scores.dtype).min)
        return self.last((scores.softmax(-1) @ v).transpose(1, 2).flatten(2))
