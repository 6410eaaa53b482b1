"""Falcon-40B / InternLM2 layout: each kv group holds [its queries | key | value] side by side."""
import torch
from torch import nn


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads):
        super().__init__()
        self.groups = num_kv_heads
        self.q_per_kv = num_heads // num_kv_heads
        self.hd = hidden_dim // num_heads
        self.wqkv = nn.Linear(hidden_dim, (num_heads + 2 * num_kv_heads) * self.hd, bias=False)
        self.wo = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x, attention_mask=None):
        qkv = self.wqkv(x).unflatten(2, (self.groups, self.q_per_kv + 2, self.hd))
        q, k, v = qkv.split([self.q_per_kv, 1, 1], dim=3)          # b t g (r|1|1) d
        # nothing is repeated: the group stays an axis of its own
        scores = torch.einsum("bigrd,bjgsd->bgrij", q, k) / self.hd**0.5
        if attention_mask is not None:
            mask = attention_mask
            if mask.size(1) == 1:
                mask = mask.unsqueeze(1)                            # b 1 1 (i|1) j
            else:
                mask = mask.unflatten(1, (self.groups, self.q_per_kv))
            scores = scores.masked_fill(mask.logical_not(), torch.finfo(scores.dtype).min)
        weights = scores.softmax(dim=-1)
        mixed = torch.einsum("bgrij,bjgsd->bigrd", weights, v)
        return self.wo(mixed.flatten(2))
