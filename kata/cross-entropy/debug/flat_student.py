import torch


def lse(x):
    m = x.max(-1, keepdim=True)[0]
    return m + torch.log(torch.sum(torch.exp(x - m), -1, keepdim=True))


def cross_entropy(logits, targets, ignore_index=-1, label_smoothing=0.0):
    V = logits.size(-1)
    x = logits.reshape(-1, V)
    y = targets.reshape(-1)
    keep = (y != ignore_index).to(x.dtype)
    y = torch.where(y == ignore_index, torch.zeros_like(y), y)
    norm = lse(x).squeeze(-1)
    right = x.gather(1, y[:, None])[:, 0]
    mean = x.mean(-1)
    loss = norm - (1 - label_smoothing) * right - label_smoothing * mean
    return torch.sum(loss * keep) / keep.sum()


def cross_entropy_backward(logits, targets, ignore_index=-1, label_smoothing=0.0):
    B, T, V = logits.shape
    x = logits.reshape(-1, V)
    y = targets.reshape(-1)
    keep = (y != ignore_index).to(x.dtype)
    y = torch.where(y == ignore_index, torch.zeros_like(y), y)
    probs = torch.exp(x - lse(x))
    q = torch.full_like(probs, 0.0)
    q[torch.arange(B * T, device=q.device), y.long()] = 1.0
    q = q * (1 - label_smoothing) + label_smoothing / V
    dx = (probs - q) * keep[:, None]
    dx = dx / keep.sum()
    return dx.reshape(B, T, V)
