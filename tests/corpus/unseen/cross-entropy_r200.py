from __future__ import annotations

import torch
from torch import Tensor


def _wide(t: Tensor) -> Tensor:
    return t.to(torch.promote_types(t.dtype, torch.float32))


def _lse(z: Tensor) -> Tensor:
    """log sum exp over the last axis as a tournament of logaddexp: log2(classes) rounds.

    Stable without a max of our own, and no padding: an odd one out waits for the next round.
    """
    while (n := z.shape[-1]) > 1:
        left, right, bye = z.tensor_split([n // 2, n // 2 * 2], dim=-1)
        z = torch.cat([torch.logaddexp(left, right), bye], -1)
    return z


def _soft_targets(z: Tensor, targets: Tensor, ignore_index: int, eps: float):
    """q (b, t, c), and the weight of each position (b, t, 1): 1 / count, or 0."""
    c = z.shape[-1]
    hot = targets[..., None] == torch.arange(c, device=targets.device)
    counts = (targets != ignore_index)[..., None].to(z.dtype)
    return torch.lerp(hot.to(z.dtype), z.new_tensor(1 / c), eps), counts / counts.sum()


def cross_entropy(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    z = _wide(logits)
    q, w = _soft_targets(z, targets, ignore_index, label_smoothing)
    # <q, lse - z>: the difference is taken first, large logits cancel before they are summed
    return torch.einsum("btc,btc,bto->", q, _lse(z) - z, w)


def cross_entropy_backward(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    z = _wide(logits)
    q, w = _soft_targets(z, targets, ignore_index, label_smoothing)
    return (((z - _lse(z)).exp() - q) * w).to(logits.dtype)
