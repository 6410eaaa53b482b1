import torch
from torch import Tensor


def _log_probs(logits: Tensor) -> Tensor:
    shifted = logits - logits.amax(dim=-1, keepdim=True)
    return shifted - shifted.exp().sum(dim=-1, keepdim=True).log()


def cross_entropy(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    counts = targets != ignore_index
    log_p = _log_probs(logits)
    safe = targets.masked_fill(~counts, 0).long()
    hit = log_p.gather(-1, safe.unsqueeze(-1)).squeeze(-1)
    loss = -(1 - label_smoothing) * hit - label_smoothing * log_p.mean(dim=-1)
    return loss.masked_fill(~counts, 0.0).sum() / counts.sum()


def cross_entropy_backward(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    counts = targets != ignore_index
    classes = logits.size(-1)
    grad = _log_probs(logits).exp()
    safe = targets.masked_fill(~counts, 0).long().unsqueeze(-1)
    grad.scatter_add_(-1, safe, torch.full_like(grad[..., :1], label_smoothing - 1.0))
    grad = grad.masked_fill(~counts.unsqueeze(-1), 0.0)
    if label_smoothing > 0:
        grad = grad - label_smoothing / classes
    return grad / counts.sum()
