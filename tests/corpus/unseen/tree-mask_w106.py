from __future__ import annotations

import torch
from torch import Tensor


def tree_mask(back: Tensor) -> Tensor:
    n = len(back)
    mask = torch.eye(n, dtype=torch.bool, device=back.device)
    for i, parent in enumerate((torch.arange(n, device=back.device) - back).tolist()):
        if parent >= 0:
            mask[i] |= mask[parent]
    return mask


def partial(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """Softmax over a part of the keys, and the log-sum-exp of its scores."""
    scores = q @ k.mT
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    return scores.softmax(-1) @ v, scores.logsumexp(-1, keepdim=True)


def tree_attention(query: Tensor, key: Tensor, value: Tensor, back: Tensor) -> Tensor:
    dtype = query.dtype
    if dtype in (torch.float16, torch.bfloat16):
        query, key, value = query.float(), key.float(), value.float()
    drafted, prefix = query.shape[2], key.shape[2] - query.shape[2]
    query = query * query.shape[3] ** -0.5

    tree, tree_lse = partial(query, key[:, :, prefix:], value[:, :, prefix:], tree_mask(back))
    if prefix == 0:
        return tree.to(dtype)
    text, text_lse = partial(query, key[:, :, :prefix], value[:, :, :prefix])
    share = torch.sigmoid(tree_lse - text_lse)
    return torch.lerp(tree, text, share).to(dtype)
