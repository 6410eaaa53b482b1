# attn-kata: drill-softmax
import torch


class _Soft:
    def __init__(self, x, dim):
        self.top = x.max(dim=dim, keepdim=True).values
        self.e = torch.exp(x - self.top)
        self.total = self.e.sum(-1, keepdim=True)

    def shares(self):
        return self.e / self.total


def softmax(x, dim=-1):
    return _Soft(x, dim).shares()


def log_sum_exp(x, dim=-1):
    top = x.max(dim=dim, keepdim=True).values
    return ((x - top).exp().sum(dim=dim, keepdim=True).log() + top).squeeze(dim)


def masked_softmax(scores, mask):
    keep = (mask != 0).expand(scores.shape)
    neg = scores.masked_fill(~keep, torch.finfo(scores.dtype).min)
    out = softmax(neg, -1)
    return torch.where(keep, out, torch.zeros_like(out))
