# wrong: gqa kv-heads-group-size line 13
# fair: kv-heads-group-size 12 16 17 25 26 28 29
import torch
from torch import nn


class GroupedQueryAttention(nn.Module):
    """num_kv_heads query heads in each group."""

    def __init__(self, hidden_dim, num_heads, num_kv_heads):
        super().__init__()
        self.num_heads = num_heads
        self.group_count = num_heads // num_kv_heads
        self.per_group = num_kv_heads
        self.head_dim = hidden_dim // num_heads
        self.to_q = nn.Linear(hidden_dim, hidden_dim)
        self.to_k = nn.Linear(hidden_dim, self.group_count * self.head_dim)
        self.to_v = nn.Linear(hidden_dim, self.group_count * self.head_dim)
        self.to_out = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, attention_mask=None):
        batch, length, width = x.shape

        query = self.to_q(x).view(batch, length, self.num_heads, self.head_dim).transpose(1, 2)

        key = self.to_k(x).view(batch, length, self.group_count, self.head_dim).transpose(1, 2)
        value = self.to_v(x).view(batch, length, self.group_count, self.head_dim).transpose(1, 2)

        key = key.repeat_interleave(self.per_group, dim=1)
        value = value.repeat_interleave(self.per_group, dim=1)
        scores = query @ key.mT / self.head_dim**0.5
        if attention_mask is not None:
            scores = scores.masked_fill(attention_mask == 0, torch.finfo(scores.dtype).min)
        context = scores.softmax(-1) @ value
        return self.to_out(context.transpose(1, 2).reshape(batch, length, width))
