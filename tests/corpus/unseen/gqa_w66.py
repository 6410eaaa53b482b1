from __future__ import annotations

import torch
from torch import Tensor, nn


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.num_kv_heads = num_kv_heads
        self.group = num_heads // num_kv_heads
        self.head_dim = hidden_dim // num_heads
        self.q_proj = nn.Linear(hidden_dim, num_heads * self.head_dim, bias=False)
        self.kv_proj = nn.Linear(hidden_dim, 2 * num_kv_heads * self.head_dim, bias=False)
        self.o_proj = nn.Linear(num_heads * self.head_dim, hidden_dim, bias=False)

    def _score_bias(self, mask: Tensor | None, ref: Tensor, T: int) -> Tensor:
        """The operand that is added to the scores by the GEMM, (B * H, T, T)."""
        B = ref.size(0)
        if mask is None:
            bias = ref.new_zeros(1, 1, 1, 1)
        elif mask.is_floating_point():
            bias = mask.to(ref.dtype)
        else:
            bias = torch.zeros_like(mask, dtype=ref.dtype)
            bias.masked_fill_(mask == 0, float("-inf"))
        return bias.expand(B, self.num_heads, T, T).reshape(B * self.num_heads, T, T)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        B, T, _ = x.shape
        H, K, D = self.num_heads, self.num_kv_heads, self.head_dim
        q = self.q_proj(x).view(B, T, H, D).transpose(1, 2).reshape(B * H, T, D)
        k, v = self.kv_proj(x).view(B, T, 2, K, D).unbind(2)
        k = k.transpose(1, 2).repeat_interleave(self.group, dim=1).view(B * H, T, D)
        v = v.transpose(1, 2).repeat_interleave(self.group, dim=1).view(B * H, T, D)

        bias = self._score_bias(attention_mask, x, T)
        scores = torch.baddbmm(bias, q, k.mT, alpha=D**-0.5)
        ctx = torch.bmm(scores.softmax(-1), v)
        return self.o_proj(ctx.view(B, H, T, D).transpose(1, 2).reshape(B, T, H * D))
