import torch
import torch.nn.functional as F
from torch import Tensor


def tree_mask(back: Tensor) -> Tensor:
    n = back.shape[0]
    mask = torch.eye(n, dtype=torch.bool, device=back.device)
    for i in range(n):
        p = i - int(back[i])
        if p >= 0:
            mask[i] |= mask[p]
    return mask


def with_prefix(mask: Tensor, prefix: int) -> Tensor:
    """the prefix is seen by everybody"""
    return F.pad(mask, (0, prefix), value=True)


def softmax_rows(s: Tensor) -> Tensor:
    s = (s - s.amax(-1, keepdim=True)).exp()
    return s / s.sum(-1, keepdim=True)


def tree_attention(query: Tensor, key: Tensor, value: Tensor, back: Tensor) -> Tensor:
    full = with_prefix(tree_mask(back), key.shape[2] - query.shape[2])
    out = torch.empty_like(query)
    for b in range(query.shape[0]):
        for h in range(query.shape[1]):
            s = query[b, h] @ key[b, h].T / query.shape[-1] ** 0.5
            s = s.masked_fill(~full, float("-inf"))
            out[b, h] = softmax_rows(s) @ value[b, h]
    return out
