# attn-kata: cross-entropy
import torch
from torch import Tensor


def _log_softmax(z: Tensor) -> Tensor:
    z = z - z.amax(-1, keepdim=True)
    return z - torch.log(torch.exp(z).sum(-1, keepdim=True))


def cross_entropy(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    logp = _log_softmax(logits)
    valid = targets != ignore_index
    safe = torch.where(valid, targets, 0)
    nll = -logp.gather(-1, safe[..., None])[..., 0]
    uniform = -logp.mean(-1)
    each = (1 - label_smoothing) * nll + label_smoothing * uniform
    each = torch.where(valid, each, torch.zeros_like(each))
    return (each.sum(1) / valid.sum(1).clamp(min=1)).mean()


def cross_entropy_backward(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    p = _log_softmax(logits).exp()
    valid = targets != ignore_index
    safe = torch.where(valid, targets, 0)
    q = torch.full_like(p, label_smoothing / p.shape[-1])
    q.scatter_add_(-1, safe[..., None], torch.full_like(p[..., :1], 1 - label_smoothing))
    return torch.where(valid[..., None], p - q, torch.zeros_like(p)) / valid.sum()
