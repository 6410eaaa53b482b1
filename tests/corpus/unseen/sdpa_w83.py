import torch
from torch import Tensor


def _as_bool(mask, scores):
    if mask is None:
        return torch.ones(scores.shape[-2:], dtype=torch.bool, device=scores.device)
    return mask.to(torch.bool)


def attention(query: Tensor, key: Tensor, value: Tensor, mask=None, causal: bool = False) -> Tensor:
    root = value.shape[-1] ** 0.5
    scores = torch.einsum("bhqd,bhkd->bhqk", query, key) / root
    keep = _as_bool(mask, scores)
    if causal:
        q_len, k_len = scores.shape[-2:]
        steps = torch.ones(q_len, k_len, dtype=torch.bool, device=scores.device)
        keep = keep & torch.tril(steps, diagonal=k_len - q_len)
    scores = scores.masked_fill(~keep, torch.finfo(scores.dtype).min)
    return torch.einsum("bhqk,bhke->bhqe", torch.softmax(scores, -1), value)
