# wrong: gqa
# attn-kata: gqa
from __future__ import annotations

import torch
from torch import Tensor, nn

QUERY_BLOCK = 256


def init(rows: int, columns: int) -> nn.Parameter:
    return nn.Parameter(torch.randn(rows, columns) * rows**-0.5)


class GroupedQueryAttention(nn.Module):
    """Grouped-query attention over blocks of queries; memory grows with block · length."""

    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int) -> None:
        super().__init__()
        assert hidden_dim % num_heads == 0, "heads must divide the width"
        assert num_heads % num_kv_heads == 0, "kv heads must divide the heads"
        self.num_heads = num_heads
        self.num_kv_heads = num_kv_heads
        head_dim = hidden_dim // num_heads
        self.wq = init(hidden_dim, num_heads * head_dim)
        self.wk = init(hidden_dim, num_kv_heads * head_dim)
        self.wv = init(hidden_dim, num_kv_heads * head_dim)
        self.wo = init(num_heads * head_dim, hidden_dim)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        share = self.num_heads // self.num_kv_heads
        q = (x @ self.wq).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
        k = (x @ self.wk).unflatten(-1, (self.num_kv_heads, -1)).transpose(1, 2)
        v = (x @ self.wv).unflatten(-1, (self.num_kv_heads, -1)).transpose(1, 2)
        k = k.repeat_interleave(share, dim=1)
        v = v.repeat_interleave(share, dim=1)

        context = []
        for i, q_block in enumerate(q.split(QUERY_BLOCK, dim=2)):
            scores = q_block @ k.transpose(-2, -1) * q.size(-1) ** -0.5
            if attention_mask is not None:
                first = i * QUERY_BLOCK
                rows = attention_mask[:, :, first : first + QUERY_BLOCK]
                scores = scores.masked_fill(rows == 0, torch.finfo(scores.dtype).min)
            context.append(scores.softmax(dim=-1) @ v)

        merged = torch.cat(context, dim=2).transpose(1, 2).flatten(2)
        return merged @ self.wo
