import torch


def log_probs(x):
    x = x - x.max(dim=-1, keepdim=True)[0]
    return x - x.exp().sum(dim=-1, keepdim=True).log()


def upcast(x):
    return x.float() if x.dtype in (torch.float16, torch.bfloat16) else x


def cross_entropy(logits, targets, ignore_index=-1, label_smoothing=0.0):
    keep = targets != ignore_index
    lp = log_probs(upcast(logits)[keep])  # (kept, classes)
    hit = lp.gather(1, targets[keep][:, None]).squeeze(1)
    return -((1 - label_smoothing) * hit + label_smoothing * lp.mean(dim=1)).mean()


def cross_entropy_backward(logits, targets, ignore_index=-1, label_smoothing=0.0):
    keep = targets != ignore_index
    lp = log_probs(upcast(logits)[keep])
    kept, classes = lp.shape

    grad = torch.zeros(logits.shape, dtype=lp.dtype, device=lp.device)
    grad[keep] = lp.exp() - label_smoothing / classes
    # at the target: minus what is left of its 1
    share = torch.full((kept, 1), label_smoothing - 1, dtype=lp.dtype, device=lp.device)
    grad[keep].scatter_add_(1, targets[keep][:, None], share)
    return grad / kept
