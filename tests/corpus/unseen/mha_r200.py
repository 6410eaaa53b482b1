# attn-kata: mha
from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class HeadSpec:
    """Geometry of the heads, nothing else. 类似 C++ 里的 POD struct。"""

    hid: int
    n_head: int

    @property
    def dk(self) -> int:
        return self.hid // self.n_head

    @property
    def temperature(self) -> float:
        return math.sqrt(self.dk)


class MaskGate:
    """统一 bool / int / float 三种 mask,对外只暴露 apply()。"""

    def __init__(self, mask: Tensor | None) -> None:
        self._closed = None if mask is None else mask.eq(0)

    def is_open(self) -> bool:
        return self._closed is None

    def apply(self, logits: Tensor) -> Tensor:
        if self.is_open():
            return logits
        return torch.where(self._closed, torch.finfo(logits.dtype).min, logits)


class HeadPack:
    """View over the fused projection. Every head owns a row segment [q | k | v] of 3*dk."""

    def __init__(self, fused: Tensor, spec: HeadSpec) -> None:
        bsz, tlen, _ = fused.shape
        # (b, t, h, 3, dk) -> (3, b, h, t, dk)
        self._packed = fused.view(bsz, tlen, spec.n_head, 3, spec.dk).permute(3, 0, 2, 1, 4)

    @property
    def q(self) -> Tensor:
        return self._packed[0]

    @property
    def k(self) -> Tensor:
        return self._packed[1]

    @property
    def v(self) -> Tensor:
        return self._packed[2]


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        if hidden_dim % num_heads != 0:
            raise ValueError(f"hidden_dim {hidden_dim} % num_heads {num_heads} != 0")
        self.spec = HeadSpec(hidden_dim, num_heads)
        self.qkv_proj = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)
        self.attn_drop = nn.Dropout(dropout)

    # ---- 小工具方法 -------------------------------------------------------

    def _logits(self, pack: HeadPack) -> Tensor:
        q = pack.q / self.spec.temperature
        return torch.matmul(q, pack.k.transpose(-2, -1))

    def _normalize(self, logits: Tensor) -> Tensor:
        # 减去行最大值,防止 exp 溢出;分子分母同时缩放,结果不变
        shifted = logits - logits.amax(dim=-1, keepdim=True)
        weights = shifted.exp()
        return weights / weights.sum(dim=-1, keepdim=True)

    def _merge(self, ctx: Tensor) -> Tensor:
        return torch.cat(ctx.unbind(dim=1), dim=-1)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        gate = MaskGate(attention_mask)
        pack = HeadPack(self.qkv_proj(x), self.spec)
        probs = self._normalize(gate.apply(self._logits(pack)))
        ctx = torch.matmul(self.attn_drop(probs), pack.v)
        return self.out_proj(self._merge(ctx))
