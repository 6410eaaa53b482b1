import torch
import torch.nn.functional as F
from torch import Tensor


def log_softmax(x: Tensor) -> Tensor:
    x = x - x.max(dim=-1, keepdim=True).values.detach()
    return x - x.exp().sum(-1, keepdim=True).log()


def cross_entropy(logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0) -> Tensor:
    mask = (targets != ignore_index).to(logits.dtype)
    labels = torch.where(targets == ignore_index, torch.zeros_like(targets), targets)
    log_p = log_softmax(logits)
    target_term = torch.gather(log_p, 2, labels[..., None])[..., 0]
    uniform_term = log_p.mean(-1)
    loss = -((1 - label_smoothing) * target_term + label_smoothing * uniform_term)
    return (loss * mask).sum() / mask.sum()


def cross_entropy_backward(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    C = logits.shape[-1]
    mask = (targets != ignore_index).to(logits.dtype)
    labels = torch.where(targets == ignore_index, torch.zeros_like(targets), targets)
    p = log_softmax(logits).exp()
    y = F.one_hot(labels, C).to(logits.dtype)
    y = (1 - label_smoothing) * y + label_smoothing / C
    # 梯度就是 p - y,再除以有效位置的个数
    return (p - y) / mask.sum()
