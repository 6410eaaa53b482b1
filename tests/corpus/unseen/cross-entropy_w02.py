# attn-kata: cross-entropy
from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor


# 数值稳定：减去最大值之后再取指数
def log_probs(logits: Tensor) -> Tensor:
    if logits.dtype in (torch.float16, torch.bfloat16):
        logits = logits.float()
    z = logits - logits.max().detach()
    return z - torch.log(torch.exp(z).sum(dim=-1, keepdim=True))


def smooth(targets: Tensor, num_classes: int, eps: float, dtype: torch.dtype) -> Tensor:
    one_hot = F.one_hot(targets, num_classes).to(dtype)
    return (1 - eps) * one_hot + eps / num_classes


def cross_entropy(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    mask = targets != ignore_index                        # (b, n)
    safe = torch.where(mask, targets, torch.zeros_like(targets)).long()
    logp = log_probs(logits)                              # (b, n, c)
    q = smooth(safe, logits.size(-1), label_smoothing, logp.dtype)
    loss = -(q * logp).sum(dim=-1)                        # (b, n)
    loss = loss[mask].sum() / mask.sum()
    return loss.to(logits.dtype)


@torch.no_grad()
def cross_entropy_backward(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    mask = targets != ignore_index
    safe = torch.where(mask, targets, torch.zeros_like(targets)).long()
    z = logits.float() if logits.dtype in (torch.float16, torch.bfloat16) else logits
    p = torch.exp(z - z.max(dim=-1, keepdim=True).values)
    p = p / p.sum(dim=-1, keepdim=True)
    q = smooth(safe, logits.size(-1), label_smoothing, p.dtype)
    grad = (p - q) / mask.sum()
    grad = grad * mask.unsqueeze(-1)                      # 不计入的位置梯度为 0
    return grad.to(logits.dtype)
