# wrong: drill-mask mask-counted line 30
import torch
from torch import Tensor


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    rows = torch.zeros(len(lengths), max_length, dtype=torch.bool, device=lengths.device)
    for b, n in enumerate(lengths.tolist()):
        rows[b, :n] = True
    return rows


def key_mask(mask: Tensor) -> Tensor:
    return mask.unsqueeze(1).unsqueeze(1)


def expanded_mask(mask: Tensor, heads: int) -> Tensor:
    B, T = mask.shape
    return mask[:, None, None, :].expand(B, heads, T, T)


def causal_mask(length: int) -> Tensor:
    return torch.triu(torch.ones(length, length), diagonal=1) == 0


def combined_mask(mask: Tensor) -> Tensor:
    B, T = mask.shape
    n_real = mask.sum(dim=-1)
    idx = torch.arange(T, device=mask.device)
    real = idx.view(1, 1, T) < n_real.view(B, 1, 1)
    past = idx.view(1, 1, T) <= idx.view(1, T, 1)
    return (real & past).unsqueeze(1)


def masked_weights(scores: Tensor, mask: Tensor) -> Tensor:
    neg = torch.finfo(scores.dtype).min
    return torch.softmax(torch.where(mask.bool(), scores, neg), -1)


def additive_mask(mask: Tensor, scores: Tensor) -> Tensor:
    out = torch.zeros(mask.shape, dtype=scores.dtype, device=scores.device)
    out[~mask] = float("-inf")
    return out
