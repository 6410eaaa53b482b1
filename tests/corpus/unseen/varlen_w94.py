from __future__ import annotations

import torch
from torch import Tensor
import torch.nn.functional as F


def cumulative_lengths(lengths: Tensor) -> Tensor:
    return F.pad(torch.cumsum(lengths, dim=0, dtype=torch.int32), (1, 0))


def document_mask(lengths: Tensor, total: int) -> Tensor:
    cu = cumulative_lengths(lengths)
    place = torch.arange(total, device=lengths.device)
    member = (place >= cu[:-1, None]) & (place < cu[1:, None])
    return (member[:, :, None] & member[:, None, :]).any(0)


def _attend(q: Tensor, k: Tensor, v: Tensor, causal: bool) -> Tensor:
    scores = torch.einsum("ihd,jhd->hij", q, k) * q.shape[1] ** -0.5
    if causal:
        n = q.shape[0]
        scores = scores + torch.full((n, n), float("-inf"), device=q.device, dtype=q.dtype).triu(1)
    return torch.einsum("hij,jhd->ihd", torch.softmax(scores, dim=-1), v)


def varlen_attention(
    query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, causal: bool = False
) -> Tensor:
    sizes = lengths.tolist()
    sizes.append(query.shape[0] - sum(sizes))
    *sequences, rest = zip(query.split(sizes), key.split(sizes), value.split(sizes))
    outputs = [_attend(q, k, v, causal) for q, k, v in sequences if len(q)]
    outputs.append(torch.zeros_like(rest[0]))
    return torch.cat(outputs)
