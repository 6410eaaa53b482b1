# wrong: cross-entropy grad-target-reversed line 24
import torch


def _p(x):
    x = torch.exp(x - torch.max(x, -1, keepdim=True)[0])
    return x / torch.sum(x, -1, keepdim=True)


def cross_entropy(x, y, ignore_index=-1, label_smoothing=0.0):
    shift = torch.max(x, -1, keepdim=True)[0]
    lse = torch.log(torch.sum(torch.exp(x - shift), -1)) + shift[..., 0]
    ok = y != ignore_index
    at = torch.gather(x, -1, torch.where(ok, y, torch.zeros_like(y))[..., None])[..., 0]
    each = lse - (1 - label_smoothing) * at - label_smoothing * torch.mean(x, -1)
    return torch.sum(each * ok) / torch.sum(ok)


def cross_entropy_backward(x, y, ignore_index=-1, label_smoothing=0.0):
    ok = y != ignore_index
    k = x.shape[-1]
    hot = torch.eye(k, dtype=x.dtype, device=x.device)[torch.where(ok, y, torch.zeros_like(y))]
    want = hot - label_smoothing * hot + label_smoothing / k
    delta = want - _p(x)
    return delta * ok[..., None] / torch.sum(ok)
