import torch


class _Stable:
    """holds m and exp(x - m) for one axis"""

    def __init__(self, x, dim):
        self.dim = dim
        self.m = torch.max(x.detach(), dim=dim, keepdim=True).values   # any shift is right, gradients cancel
        self.e = torch.exp(x - self.m)

    @property
    def total(self):
        return torch.sum(self.e, self.dim, keepdim=True)


def softmax(x, dim=-1):
    s = _Stable(x, dim)
    return s.e / s.total


def log_sum_exp(x, dim=-1):
    s = _Stable(x, dim)
    return (s.m + s.total.log()).squeeze(dim)


def masked_softmax(scores, mask):
    on = (mask != 0).expand_as(scores)
    safe = scores.where(on, scores.new_tensor(torch.finfo(scores.dtype).min))
    top = safe.amax(-1, keepdim=True)
    num = torch.exp(torch.where(on, scores - top, 0.0)) * on
    den = num.sum(-1, keepdim=True)
    return (num / den.clamp_min(torch.finfo(scores.dtype).tiny)).to(scores.dtype)
