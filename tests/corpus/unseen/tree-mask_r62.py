# attn-kata: tree-mask
"""The parents' matrix P is nilpotent, so (1 - P)^-1 = 1 + P + P^2 + ...: one triangular solve gives all ancestors."""
import math

import torch
from torch import Tensor


def tree_mask(back: Tensor) -> Tensor:
    n = back.numel()
    child = torch.arange(n, device=back.device)
    parent = child - back.long()
    has_parent = parent >= 0
    link = torch.zeros(n, n, dtype=torch.float64, device=back.device)
    link[child[has_parent], parent[has_parent]] = 1
    one = torch.eye(n, dtype=torch.float64, device=back.device)
    closure = torch.linalg.solve_triangular(one - link, one, upper=False, unitriangular=True)
    return closure > 0.5


def tree_attention(query: Tensor, key: Tensor, value: Tensor, back: Tensor) -> Tensor:
    acc = torch.promote_types(query.dtype, torch.float32)
    q, k, v = query.to(acc) / math.sqrt(query.shape[-1]), key.to(acc), value.to(acc)
    prefix = key.shape[2] - query.shape[2]

    # prefix and tree apart, joined by their log-sum-exps
    far = q @ k[:, :, :prefix].mT
    near = (q @ k[:, :, prefix:].mT).masked_fill(tree_mask(back).logical_not(), -math.inf)
    lse = torch.logaddexp(far.logsumexp(-1, keepdim=True), near.logsumexp(-1, keepdim=True))
    out = (far - lse).exp() @ v[:, :, :prefix] + (near - lse).exp() @ v[:, :, prefix:]
    return out.to(query.dtype)
