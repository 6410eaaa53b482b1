# wrong: gqa heads-merge-without-transpose line 26
import torch
from torch import Tensor, nn


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int) -> None:
        super().__init__()
        self.heads = num_heads
        self.kv_heads = num_kv_heads
        self.depth = hidden_dim // num_heads
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.kv_proj = nn.Linear(hidden_dim, 2 * num_kv_heads * self.depth)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        batch, length, width = x.shape
        query = self.q_proj(x).view(batch, length, self.heads, self.depth).transpose(1, 2)
        key, value = self.kv_proj(x).chunk(2, dim=-1)
        key, value = (t.view(batch, length, self.kv_heads, self.depth).transpose(1, 2) for t in (key, value))
        key, value = (t.repeat_interleave(self.heads // self.kv_heads, 1) for t in (key, value))
        scores = query @ key.mT / self.depth**0.5
        if attention_mask is not None:
            scores = scores.masked_fill(attention_mask == 0, torch.finfo(scores.dtype).min)
        context = scores.softmax(-1) @ value
        merged = context.reshape(batch, length, width)
        return self.o_proj(merged)
