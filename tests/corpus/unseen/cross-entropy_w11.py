import torch
from torch import Tensor


@torch.no_grad()
def log_z(logits: Tensor) -> Tensor:
    """log of the partition function, stable."""
    m = logits.amax(-1)
    return m + (logits - m.unsqueeze(-1)).exp().sum(-1).log()


def cross_entropy(logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0) -> Tensor:
    x = logits.to(torch.float64)
    counted = targets.ne(ignore_index)
    idx = torch.where(counted, targets, 0)[..., None]
    lz = log_z(x)
    loss = lz - (1 - label_smoothing) * x.gather(2, idx)[..., 0] - label_smoothing * x.mean(2)
    return (torch.where(counted, loss, 0.0).sum() / counted.sum()).to(logits.dtype)


def cross_entropy_backward(logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0) -> Tensor:
    x = logits.to(torch.float64)
    V = x.size(2)
    counted = targets.ne(ignore_index)
    probs = torch.exp(x - log_z(x)[..., None])
    soft = torch.full_like(probs, label_smoothing / V)
    soft.scatter_add_(2, torch.where(counted, targets, 0)[..., None], torch.full_like(probs[..., :1], 1 - label_smoothing))
    grad = (probs - soft) * counted[..., None] / counted.sum()
    return grad.to(logits.dtype)
