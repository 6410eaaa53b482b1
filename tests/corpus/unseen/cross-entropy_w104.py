import torch

# logits (b, t, c) ; everything flat from the start


def flat(logits, targets, ignore_index):
    x = logits.flatten(0, 1)
    if x.dtype.itemsize < 4:
        x = x.to(torch.float32)
    y = targets.flatten()
    idx = (y != ignore_index).nonzero().squeeze(1)
    return x, y.long(), idx


def logZ(x):
    m = x.amax(1, keepdim=True)
    return (x - m).exp().sum(1).log()


def cross_entropy(logits, targets, ignore_index=-1, label_smoothing=0.0):
    x, y, idx = flat(logits, targets, ignore_index)
    x, y = x[idx], y[idx]
    picked = x[torch.arange(len(y), device=x.device), y]
    mixed = torch.lerp(picked, x.mean(1), label_smoothing)
    return (logZ(x) - mixed).mean()


def cross_entropy_backward(logits, targets, ignore_index=-1, label_smoothing=0.0):
    x, y, idx = flat(logits, targets, ignore_index)
    grad = torch.zeros_like(x)
    z = x[idx]
    e = (z - z.amax(1, keepdim=True)).exp()
    g = e / e.sum(1, keepdim=True)
    g = g - label_smoothing / g.shape[1]
    g[torch.arange(len(idx), device=x.device), y[idx]] -= 1 - label_smoothing
    grad[idx] = g / len(idx)
    return grad.view(logits.shape)
