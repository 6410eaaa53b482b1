import torch
from torch import Tensor


def _log_p(z: Tensor) -> Tensor:
    z = z - z.amax(-1, keepdim=True)
    return z - z.exp().sum(-1, keepdim=True).log()


def _wide(logits: Tensor) -> Tensor:
    return logits.to(torch.promote_types(logits.dtype, torch.float32))


def _q(targets: Tensor, counts: Tensor, like: Tensor, eps: float) -> Tensor:
    classes = like.shape[-1]
    hot = torch.nn.functional.one_hot(torch.where(counts, targets, 0), classes).to(like.dtype)
    return torch.lerp(hot, torch.full_like(hot, 1 / classes), eps) * counts.unsqueeze(-1)


def cross_entropy(logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0) -> Tensor:
    counts = targets != ignore_index
    lp = _log_p(_wide(logits))
    q = _q(targets, counts, lp, label_smoothing)
    return -torch.einsum("btc,btc->", q, lp).div(counts.sum()).to(logits.dtype)


def cross_entropy_backward(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    counts = targets != ignore_index
    lp = _log_p(_wide(logits))
    q = _q(targets, counts, lp, label_smoothing)
    # q adds up to 1 where a position counts and to 0 where not
    return ((lp.exp() * counts.unsqueeze(-1) - q) / counts.sum()).to(logits.dtype)
