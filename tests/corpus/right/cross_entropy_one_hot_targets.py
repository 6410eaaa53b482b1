# right: cross-entropy
import torch
import torch.nn.functional as F
from torch import Tensor


def target_distribution(targets: Tensor, like: Tensor, ignore_index: int, smoothing: float) -> Tensor:
    classes = like.shape[-1]
    valid = (targets != ignore_index).unsqueeze(-1)
    hot = F.one_hot(torch.where(valid.squeeze(-1), targets, 0), classes).to(like.dtype)
    smooth = hot * (1.0 - smoothing) + torch.full_like(hot, smoothing / classes)
    return smooth * valid


def log_softmax_by_hand(z: Tensor) -> Tensor:
    z = z - torch.amax(z, -1, True)
    return z - z.exp().sum(-1, True).log()


def cross_entropy(logits, targets, ignore_index=-1, label_smoothing=0.0):
    q = target_distribution(targets, logits, ignore_index, label_smoothing)
    total = torch.einsum("btc,btc->", q, log_softmax_by_hand(logits))
    return -total / (targets != ignore_index).sum()


def cross_entropy_backward(logits, targets, ignore_index=-1, label_smoothing=0.0):
    q = target_distribution(targets, logits, ignore_index, label_smoothing)
    valid = targets != ignore_index
    p = log_softmax_by_hand(logits).exp()
    return (p * valid.unsqueeze(-1) - q) / valid.sum()
