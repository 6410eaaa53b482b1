import torch


class Shifted:
    """x minus its maximum along dim"""

    def __init__(self, x, dim):
        self.dim = dim
        self.peak = x.max(dim=dim, keepdim=True).values
        self.exp = torch.exp(x - self.peak)

    @property
    def total(self):
        return self.exp.sum(dim=self.dim, keepdim=True)

    def shares(self):
        return self.exp / self.total

    def log_total(self):
        return torch.log(self.total).squeeze(self.dim)


def softmax(x, dim=-1):
    return Shifted(x, dim).shares()


def log_sum_exp(x, dim=-1):
    return Shifted(x, dim).log_total()


def masked_softmax(scores, mask):
    shown = (mask != 0).to(scores.dtype)
    s = scores.masked_fill(shown == 0, torch.finfo(scores.dtype).min)
    e = torch.exp(s - s.amax(-1, keepdim=True)) * shown
    return e / e.sum(-1, keepdim=True).clamp_min(torch.finfo(scores.dtype).tiny)
