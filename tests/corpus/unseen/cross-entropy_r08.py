# attn-kata: cross-entropy
import torch
from torch import Tensor


def _prepare(logits: Tensor, targets: Tensor, ignore_index: int):
    wide = logits.to(torch.promote_types(logits.dtype, torch.float32))
    live = (targets != ignore_index).to(wide.dtype)
    label = torch.where(targets == ignore_index, torch.zeros_like(targets), targets)
    share = live / live.sum()                     # 1/count where it counts, else 0
    top = wide.detach().amax(-1, keepdim=True)
    log_norm = top + torch.log(torch.sum(torch.exp(wide - top), -1, keepdim=True))
    return wide, label[..., None], share[..., None], log_norm


def cross_entropy(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    wide, label, share, log_norm = _prepare(logits, targets, ignore_index)
    target_logit = torch.take_along_dim(wide, label, -1)
    # -sum q log p = log_norm - sum q z
    expected = (1 - label_smoothing) * target_logit + label_smoothing * wide.mean(-1, keepdim=True)
    return torch.sum(share * (log_norm - expected)).to(logits.dtype)


def cross_entropy_backward(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    wide, label, share, log_norm = _prepare(logits, targets, ignore_index)
    grad = torch.exp(wide - log_norm) - label_smoothing / wide.shape[-1]
    grad -= torch.zeros_like(grad).scatter_(-1, label, 1 - label_smoothing)
    return (grad * share).to(logits.dtype)
