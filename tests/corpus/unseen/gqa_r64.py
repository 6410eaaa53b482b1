from __future__ import annotations

import torch
from torch import Tensor, nn


class GroupedQueryAttention(nn.Module):
    """[Q | k_0 v_0 | k_1 v_1 | ...] from one GEMM; queries of a group are stacked as rows.

    A group of G query heads of T rows is one (G*T, D) operand, so each kv head is read once.
    """

    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int) -> None:
        super().__init__()
        if hidden_dim % num_heads or num_heads % num_kv_heads:
            raise ValueError("sizes do not divide")
        self.H, self.K = num_heads, num_kv_heads
        self.G, self.D = num_heads // num_kv_heads, hidden_dim // num_heads
        self.wqkv = nn.Linear(hidden_dim, (self.H + 2 * self.K) * self.D, bias=False)
        self.wo = nn.Linear(hidden_dim, hidden_dim, bias=False)

    @staticmethod
    def _blocked(mask: Tensor, H: int, T: int) -> Tensor:
        return mask.logical_not().expand(-1, H, T, T)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        B, T, C = x.shape
        H, K, G, D = self.H, self.K, self.G, self.D
        packed = self.wqkv(x)
        q = packed.narrow(-1, 0, H * D).view(B, T, K, G, D)
        kv = packed.narrow(-1, H * D, 2 * K * D).view(B, T, K, 2, D)
        k, v = kv.select(3, 0).transpose(1, 2), kv.select(3, 1).transpose(1, 2)

        rows = q.permute(0, 2, 3, 1, 4).reshape(B, K, G * T, D)
        scores = torch.matmul(rows, k.mT)
        scores.mul_(D**-0.5)
        if attention_mask is not None:
            scores.view(B, H, T, T).masked_fill_(self._blocked(attention_mask, H, T), -torch.inf)
        ctx = torch.matmul(scores.softmax(-1), v)

        out = x.new_empty(B, T, K, G, D)
        out.copy_(ctx.view(B, K, G, T, D).permute(0, 3, 1, 2, 4))
        return self.wo(out.view(B, T, C))
