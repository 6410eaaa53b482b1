# attn-kata: cross-entropy
import torch
from torch import Tensor


def _log_probs(logits: Tensor) -> Tensor:
    shifted = logits - logits.amax(dim=-1, keepdim=True)
    return shifted - shifted.exp().sum(dim=-1, keepdim=True).log()


def cross_entropy(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    counts = targets != ignore_index
    safe = targets.masked_fill(~counts, 0)
    logp = _log_probs(logits)
    picked = logp.gather(-1, safe.unsqueeze(-1)).squeeze(-1)
    per_token = -((1 - label_smoothing) * picked + label_smoothing * logp.mean(dim=-1))
    per_token = per_token.masked_fill(~counts, 0.0)
    return (per_token.sum(dim=1) / counts.sum(dim=1).clamp(min=1)).mean()


def cross_entropy_backward(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    counts = targets != ignore_index
    safe = targets.masked_fill(~counts, 0)
    grad = _log_probs(logits).exp()
    grad = grad - label_smoothing / logits.size(-1)
    grad = grad.scatter_add(-1, safe.unsqueeze(-1), torch.full_like(grad[..., :1], label_smoothing - 1.0))
    return grad * counts.unsqueeze(-1) / counts.sum()
