import torch
from torch import Tensor


def _softmax_parts(logits: Tensor) -> tuple[Tensor, Tensor]:
    """log-probabilities and probabilities, in float32 at least"""
    x = logits.to(torch.promote_types(logits.dtype, torch.float32))
    x = x - torch.sort(x, dim=-1, descending=True).values[..., :1]
    e = x.exp()
    s = e.sum(-1, keepdim=True)
    return x - s.log(), e / s


def _soft_targets(like: Tensor, targets: Tensor, ignore_index: int, eps: float) -> tuple[Tensor, Tensor]:
    k = like.shape[-1]
    counts = targets.ne(ignore_index).unsqueeze(-1)
    ids = torch.where(counts.squeeze(-1), targets, torch.zeros_like(targets))
    hot = torch.eye(k, dtype=like.dtype, device=like.device)[ids.long()]
    return counts * ((1 - eps) * hot + eps / k), counts


class _CrossEntropy(torch.autograd.Function):
    """forward keeps nothing but its arguments; backward is the formula p - q"""

    @staticmethod
    def forward(ctx, logits, targets, ignore_index, label_smoothing):
        ctx.save_for_backward(logits, targets)
        ctx.rest = ignore_index, label_smoothing
        logp, _ = _softmax_parts(logits)
        q, counts = _soft_targets(logp, targets, ignore_index, label_smoothing)
        return (-(q * logp).sum() / counts.sum()).to(logits.dtype)

    @staticmethod
    def backward(ctx, upstream):
        logits, targets = ctx.saved_tensors
        return upstream * cross_entropy_backward(logits, targets, *ctx.rest), None, None, None


def cross_entropy(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0, **deprecated
) -> Tensor:
    if deprecated.pop("reduction", "mean") != "mean":
        raise NotImplementedError("only the mean")
    assert not deprecated, deprecated
    return _CrossEntropy.apply(logits, targets, ignore_index, label_smoothing)


def cross_entropy_backward(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    logp, p = _softmax_parts(logits)
    q, counts = _soft_targets(logp, targets, ignore_index, label_smoothing)
    return ((counts * p - q) / counts.sum()).to(logits.dtype)
