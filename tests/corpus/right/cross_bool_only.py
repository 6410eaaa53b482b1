# right: cross remarks: mask-form, nan-on-empty-row
# one layer makes keys and values, side by side per channel: of `key` the first is taken, of `value` the second
import torch
from torch import nn


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.h = num_heads
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.kv = nn.Linear(hidden_dim, 2 * hidden_dim)
        self.proj = nn.Linear(hidden_dim, hidden_dim)
        self.drop = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        q = self.q(query).unflatten(2, (self.h, -1)).transpose(1, 2)
        k = self.kv(key).unflatten(2, (self.h, -1, 2))[..., 0].transpose(1, 2)
        v = self.kv(value).unflatten(2, (self.h, -1, 2))[..., 1].transpose(1, 2)
        s = q @ k.mT / q.size(-1) ** 0.5
        if mask is not None:
            s = torch.where(mask[:, None], s, float("-inf"))
        return self.proj((self.drop(s.softmax(-1)) @ v).transpose(1, 2).flatten(2))
