import torch
from torch import Tensor, nn


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int) -> None:
        super().__init__()
        self.kv_heads = num_kv_heads
        self.per_group = num_heads // num_kv_heads
        self.head_dim = hidden_dim // num_heads
        kv_dim = num_kv_heads * self.head_dim
        self.sizes = (hidden_dim, kv_dim, kv_dim)
        self.qkv = nn.Linear(hidden_dim, sum(self.sizes))
        self.proj = nn.Linear(hidden_dim, hidden_dim)

    def grouped_mask(self, mask: Tensor) -> Tensor:
        """To (batch, kv_heads or 1, per_group or 1, length or 1, length), True = may attend."""
        mask = mask.to(torch.bool)
        if mask.shape[1] == 1:
            return mask[:, :, None]
        return mask.unflatten(1, (self.per_group, self.kv_heads)).transpose(1, 2)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        batch, length, width = x.shape
        q, k, v = self.qkv(x).split(self.sizes, dim=-1)

        # (batch, kv_heads, per_group, length, head_dim); one key head for a whole group
        q = q.view(batch, length, self.kv_heads, self.per_group, self.head_dim).permute(0, 2, 3, 1, 4)
        k = k.view(batch, length, self.kv_heads, 1, self.head_dim).permute(0, 2, 3, 1, 4)
        v = v.view(batch, length, self.kv_heads, 1, self.head_dim).permute(0, 2, 3, 1, 4)

        scores = q @ k.transpose(-2, -1) / self.head_dim**0.5
        if attention_mask is not None:
            keep = self.grouped_mask(attention_mask)
            scores = scores.masked_fill(~keep, torch.finfo(scores.dtype).min)
        context = scores.softmax(dim=-1) @ v

        context = context.permute(0, 3, 1, 2, 4).reshape(batch, length, width)
        return self.proj(context)
