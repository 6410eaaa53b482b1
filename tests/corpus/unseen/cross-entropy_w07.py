import torch
from torch import Tensor


def stable_log_softmax(x: Tensor) -> Tensor:
    x = x - x.amax(dim=-1, keepdim=True)
    return x - x.exp().sum(dim=-1, keepdim=True).log()


def smooth_targets(targets: Tensor, classes: int, eps: float, dtype: torch.dtype) -> Tensor:
    hot = torch.nn.functional.one_hot(targets, classes).to(dtype)
    return hot * (1.0 - eps) + eps / classes


def cross_entropy(logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0) -> Tensor:
    keep = targets.ne(ignore_index)
    logp = stable_log_softmax(logits.to(torch.promote_types(logits.dtype, torch.float32)))
    q = smooth_targets(targets.long() * keep, logits.shape[-1], label_smoothing, logp.dtype)
    nll = -(q * logp).sum(-1) * keep                       # (batch, length)
    per_sequence = nll.sum(1) / keep.sum(1).clamp(min=1)   # (batch,)
    return per_sequence.mean().to(logits.dtype)


def cross_entropy_backward(logits: Tensor, targets: Tensor, ignore_index: int = -1,
                           label_smoothing: float = 0.0) -> Tensor:
    with torch.no_grad():
        keep = targets.ne(ignore_index)
        p = stable_log_softmax(logits.to(torch.promote_types(logits.dtype, torch.float32))).exp()
        q = smooth_targets(targets.long() * keep, logits.shape[-1], label_smoothing, p.dtype)
        return ((p - q) * keep[..., None] / keep.sum()).to(logits.dtype)
