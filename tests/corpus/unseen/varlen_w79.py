import math
import torch
from torch import Tensor


def cumulative_lengths(lengths: Tensor) -> Tensor:
    start = lengths.new_zeros(1)
    return torch.cat((start, lengths.cumsum(dim=0))).to(torch.int32)


def document_mask(lengths: Tensor, total: int) -> Tensor:
    out = torch.zeros((total, total), dtype=torch.bool, device=lengths.device)
    bounds = cumulative_lengths(lengths).tolist()
    for lo, hi in zip(bounds, bounds[1:]):
        out[lo:hi, lo:hi] = True
    return out


def varlen_attention(query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, causal: bool = False) -> Tensor:
    total, heads, head_dim = query.shape
    q, k, v = (t.permute(1, 0, 2) for t in (query, key, value))
    mask = document_mask(lengths, total)
    if causal:
        mask = mask & torch.ones_like(mask).tril()
    scores = q @ k.mT / math.sqrt(head_dim)
    scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    weights = scores.softmax(dim=-1).masked_fill(~mask, 0.0)
    return (weights @ v).permute(1, 0, 2)
