import torch
import torch.nn.functional as F
from torch import Tensor


def _log_probs(logits: Tensor) -> Tensor:
    shifted = logits - logits.amax(dim=-1, keepdim=True)
    return shifted - shifted.exp().sum(dim=-1, keepdim=True).log()


def cross_entropy(logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0) -> Tensor:
    log_p = _log_probs(logits)
    valid = targets != ignore_index
    safe = torch.where(valid, targets, torch.zeros_like(targets)).long()
    nll = -log_p.gather(-1, safe.unsqueeze(-1)).squeeze(-1)
    smooth = -log_p.mean(dim=-1)
    per_token = (1 - label_smoothing) * nll + label_smoothing * smooth
    per_token = per_token.masked_fill(~valid, 0.0)
    return per_token.mean()


def cross_entropy_backward(logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0) -> Tensor:
    p = _log_probs(logits).exp()
    classes = logits.shape[-1]
    valid = targets != ignore_index
    safe = torch.where(valid, targets, torch.zeros_like(targets)).long()
    q = F.one_hot(safe, classes).to(p.dtype) * (1 - label_smoothing) + label_smoothing / classes
    grad = (p - q) / valid.sum()
    return grad * valid.unsqueeze(-1).to(grad.dtype)
