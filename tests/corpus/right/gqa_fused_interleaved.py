# right: gqa
# One projection, group by group: the group's queries, then its key and its value (Falcon's order).
import torch
from torch import Tensor, nn


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int) -> None:
        super().__init__()
        self.groups = num_kv_heads
        self.per_group = num_heads // num_kv_heads
        self.head_dim = hidden_dim // num_heads
        self.qkv = nn.Linear(hidden_dim, (num_heads + 2 * num_kv_heads) * self.head_dim)
        self.dense = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        batch, length, width = x.shape
        fused = self.qkv(x).view(batch, length, self.groups, self.per_group + 2, self.head_dim)
        query, key, value = fused.split([self.per_group, 1, 1], dim=3)
        query = query.flatten(2, 3).transpose(1, 2)
        key = key.expand_as(fused[..., : self.per_group, :]).flatten(2, 3).transpose(1, 2)
        value = value.expand_as(fused[..., : self.per_group, :]).flatten(2, 3).transpose(1, 2)
        scores = query @ key.mT * self.head_dim**-0.5
        if attention_mask is not None:
            scores = torch.where(attention_mask != 0, scores, torch.finfo(scores.dtype).min)
        context = scores.softmax(-1) @ value
        return self.dense(context.transpose(1, 2).flatten(2))
