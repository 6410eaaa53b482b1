from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import one_hot


class Prepared(NamedTuple):
    log_p: Tensor     # (batch, length, classes)
    q: Tensor         # (batch, length, classes)
    weight: Tensor    # (batch, length, 1): what a position adds to the mean, 0 where it is ignored


def prepare(logits: Tensor, targets: Tensor, ignore_index: int, smoothing: float) -> Prepared:
    z = logits.double() if logits.dtype == torch.float64 else logits.float()
    z = z - z.amax(-1, keepdim=True)
    log_p = z - torch.log(torch.exp(z).sum(-1, keepdim=True))
    k = z.shape[-1]
    keep = targets != ignore_index
    q = one_hot(targets * keep, k).to(z.dtype) * (1 - smoothing) + smoothing / k
    weight = keep.to(z.dtype)
    weight = weight / weight.sum(dim=1, keepdim=True).clamp(min=1) / weight.shape[0]
    return Prepared(log_p, q, weight.unsqueeze(-1))


def cross_entropy(logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0) -> Tensor:
    pr = prepare(logits, targets, ignore_index, label_smoothing)
    return -(pr.weight * pr.q * pr.log_p).sum()


def cross_entropy_backward(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    pr = prepare(logits, targets, ignore_index, label_smoothing)
    return (pr.weight * (pr.log_p.exp() - pr.q)).to(logits.dtype)
