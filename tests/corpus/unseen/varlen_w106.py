from __future__ import annotations

import torch
from torch import Tensor


def cumulative_lengths(lengths: Tensor) -> Tensor:
    return torch.nn.functional.pad(lengths.cumsum(0), (1, 0))


def document_mask(lengths: Tensor, total: int) -> Tensor:
    blocks = [torch.ones(n, n, dtype=torch.bool, device=lengths.device) for n in lengths.tolist()]
    tail = total - int(lengths.sum())
    blocks.append(torch.zeros(tail, tail, dtype=torch.bool, device=lengths.device))
    return torch.block_diag(*blocks).bool()


class _Packed:
    """A buffer as its sequences; what is left over comes last, so that the sizes add up."""

    def __init__(self, lengths: Tensor, total: int) -> None:
        self.sizes = lengths.tolist()
        self.sizes.append(total - sum(self.sizes))

    def __call__(self, buffer: Tensor) -> tuple[Tensor, ...]:
        return buffer.split(self.sizes)


def _attend(q: Tensor, k: Tensor, v: Tensor, causal: bool) -> Tensor:
    s = torch.einsum("ihd,jhd->hij", q, k) * q.size(-1) ** -0.5
    if causal:
        i = torch.arange(len(q), device=q.device)
        s = s.masked_fill(i > i[:, None], -torch.inf)
    return torch.einsum("hij,jhd->ihd", s.softmax(-1), v)


def varlen_attention(
    query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, causal: bool = False
) -> Tensor:
    cut = _Packed(lengths, len(query))
    return torch.cat([_attend(q, k, v, causal) for q, k, v in zip(cut(query), cut(key), cut(value))])
