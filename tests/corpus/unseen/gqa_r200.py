"""GQA, ported from our flax code: kernels keep their logical axes, nothing is ever flattened.

m model, k kv head, g query head inside a kv head, d head_dim, t query pos, s key pos
"""
from __future__ import annotations

import torch
from torch import Tensor, nn

einsum = torch.einsum


class DenseGeneral(nn.Module):
    def __init__(self, spec: str, shape: tuple[int, ...], fan_in: int) -> None:
        super().__init__()
        self.spec = spec
        self.kernel = nn.Parameter(torch.empty(shape))
        nn.init.trunc_normal_(self.kernel, std=fan_in**-0.5)

    def forward(self, x: Tensor) -> Tensor:
        return einsum(self.spec, x, self.kernel)


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int) -> None:
        super().__init__()
        M, K = hidden_dim, num_kv_heads
        G, D = num_heads // num_kv_heads, hidden_dim // num_heads
        self.kg = K, G
        self.query = DenseGeneral("btm,mkgd->bkgtd", (M, K, G, D), M)
        self.key = DenseGeneral("bsm,mkd->bksd", (M, K, D), M)
        self.value = DenseGeneral("bsm,mkd->bksd", (M, K, D), M)
        self.out = DenseGeneral("bkgtd,kgdm->btm", (K, G, D, M), M)

    def _keep(self, mask: Tensor) -> Tensor:
        keep = mask.ne(0)
        return keep.unsqueeze(1) if keep.size(1) == 1 else keep.unflatten(1, self.kg)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        q, k, v = self.query(x), self.key(x), self.value(x)
        logits = einsum("bkgtd,bksd->bkgts", q * q.size(-1) ** -0.5, k)
        if attention_mask is not None:
            logits = torch.where(self._keep(attention_mask), logits, float("-inf"))
        return self.out(einsum("bkgts,bksd->bkgtd", logits.softmax(-1), v))
