from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor


def cumulative_lengths(lengths: Tensor) -> Tensor:
    return F.pad(torch.cumsum(lengths, 0, dtype=torch.int32), (1, 0))


def document_mask(lengths: Tensor, total: int) -> Tensor:
    blocks = torch.block_diag(*(torch.ones(n, n, dtype=torch.bool) for n in lengths.tolist()))
    rest = total - int(lengths.sum())
    return F.pad(blocks, (0, rest, 0, rest), value=False).to(lengths.device)


class _Packed:
    """Sections of the buffer, the empty places as a last one."""

    def __init__(self, lengths: Tensor, total: int):
        self.sizes = lengths.tolist()
        self.sizes.append(total - sum(self.sizes))

    def cut(self, x: Tensor) -> tuple[Tensor, ...]:
        return x.transpose(0, 1).split(self.sizes, dim=1)


def _attend(q: Tensor, k: Tensor, v: Tensor, causal: bool) -> Tensor:
    s = q @ k.mT
    if causal:
        s = s.masked_fill(torch.ones_like(s[0], dtype=torch.bool).triu(1), float("-inf"))
    return s.softmax(-1) @ v


def varlen_attention(query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, causal: bool = False) -> Tensor:
    packed = _Packed(lengths, query.shape[0])
    up = torch.promote_types(query.dtype, torch.float32)
    *qs, q_rest = packed.cut(query.to(up) / query.shape[-1] ** 0.5)
    ks, vs = packed.cut(key.to(up)), packed.cut(value.to(up))
    outs = [_attend(q, k, v, causal) for q, k, v in zip(qs, ks, vs)]
    outs.append(torch.zeros_like(q_rest))
    return torch.cat(outs, dim=1).transpose(0, 1).to(query.dtype)
