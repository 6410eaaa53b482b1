from functools import partial

import torch
from torch import Tensor

mean_c = partial(torch.mean, dim=-1)


def upcast(t: Tensor) -> Tensor:
    return t if t.dtype == torch.float64 else t.float()


def lse(x: Tensor) -> Tensor:
    m = x.amax(-1)
    return m + (x - m[..., None]).exp().sum(-1).log()


def cross_entropy(logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0) -> Tensor:
    x = upcast(logits)
    real = targets != ignore_index
    n = real.sum()
    z = lse(x)
    at_target = x.gather(-1, torch.where(real, targets, 0).long()[..., None])[..., 0]

    nll = torch.where(real, z - at_target, 0.0).sum() / n
    smooth = (z - mean_c(x)).sum() / n
    return (1.0 - label_smoothing) * nll + label_smoothing * smooth


def cross_entropy_backward(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    x = upcast(logits)
    real = targets != ignore_index
    p = (x - lse(x)[..., None]).exp()
    ids = torch.arange(x.shape[-1], device=x.device)
    onehot = (targets[..., None] == ids).to(x.dtype)
    q = onehot * (1.0 - label_smoothing) + label_smoothing / x.shape[-1]
    return (p - q) * real[..., None] / real.sum()
