import torch
from torch import Tensor


class CrossEntropy:
    def __init__(self, ignore_index=-1, label_smoothing=0.0):
        self.ignore = ignore_index
        self.eps = label_smoothing

    @staticmethod
    def logp(x: Tensor) -> Tensor:
        x = x - x.max(-1, keepdim=True).values
        return x - x.exp().sum(-1, keepdim=True).log()

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        C = x.shape[-1]
        x, y = x.flatten(0, 1), y.flatten()
        rows = (y != self.ignore).nonzero(as_tuple=True)[0]
        lp = self.logp(x[rows])
        picked = lp[torch.arange(len(rows), device=x.device), y[rows].long()]
        total = (1 - self.eps) * picked + self.eps * lp.sum(-1) / C
        return -total.mean()

    def backward(self, x: Tensor, y: Tensor) -> Tensor:
        C = x.shape[-1]
        grad = self.logp(x).exp()
        grad -= self.eps / C
        live = y != self.ignore
        b, t = live.nonzero(as_tuple=True)
        grad[b, t, y[b, t].long()] -= 1 - self.eps
        grad[~live] = 0
        grad /= y.numel()
        return grad


def cross_entropy(logits, targets, ignore_index=-1, label_smoothing=0.0):
    return CrossEntropy(ignore_index, label_smoothing).forward(logits, targets)


def cross_entropy_backward(logits, targets, ignore_index=-1, label_smoothing=0.0):
    with torch.no_grad():
        return CrossEntropy(ignore_index, label_smoothing).backward(logits, targets)
