# 交叉熵：支持 ignore_index 和 label smoothing
import torch
import torch.nn.functional as F


def log_probs(logits):
    """数值稳定的 log softmax"""
    shifted = logits - logits.max(dim=-1, keepdim=True)[0]
    return shifted - shifted.exp().sum(dim=-1, keepdim=True).log()


def prepare(logits, targets, ignore_index, label_smoothing):
    c = logits.size(-1)
    valid = targets.ne(ignore_index)
    safe = torch.where(valid, targets, torch.zeros_like(targets)).long()
    q = F.one_hot(safe, c).to(logits.dtype)
    q = q * (1 - label_smoothing) + label_smoothing / c
    # 每个 token 的权重
    valid = valid.to(logits.dtype)
    count = valid.sum(dim=1, keepdim=True).clamp(min=1)
    weight = valid / count / valid.size(0)
    return q, weight


def cross_entropy(logits, targets, ignore_index=-1, label_smoothing=0.0):
    q, weight = prepare(logits, targets, ignore_index, label_smoothing)
    token_loss = -(q * log_probs(logits)).sum(dim=-1)        # [b, l]
    return (token_loss * weight).sum()


def cross_entropy_backward(logits, targets, ignore_index=-1, label_smoothing=0.0):
    q, weight = prepare(logits, targets, ignore_index, label_smoothing)
    p = log_probs(logits).exp()
    return (p - q) * weight.unsqueeze(-1)
