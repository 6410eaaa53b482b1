# right: v3
"""No nn layers at all: matrices, softmax and dropout are mine."""
import torch


def softmax(z, keep):
    if keep is not None:
        z = torch.where(keep, z, torch.full_like(z, torch.finfo(z.dtype).min))
    z = z - z.max(dim=-1, keepdim=True).values
    z = torch.exp(z)
    return z / z.sum(dim=-1, keepdim=True)


def dropout(a, p, training):
    if not training or p == 0:
        return a
    survivors = (torch.rand_like(a) >= p).to(a.dtype)
    return a * survivors / (1 - p)


class AttentionFromScratch(torch.nn.Module):
    def __init__(self, n, p=0.1):
        super().__init__()
        self.n, self.p = n, p
        for letter in "qkvo":
            setattr(self, "W" + letter, torch.nn.Parameter(torch.randn(n, n) * n ** -0.5))
            setattr(self, "b" + letter, torch.nn.Parameter(torch.zeros(n)))

    def forward(self, x, mask=None):
        q = torch.matmul(x, self.Wq) + self.bq
        k = torch.matmul(x, self.Wk) + self.bk
        v = torch.matmul(x, self.Wv) + self.bv
        keep = None if mask is None else mask > 0
        a = softmax(torch.matmul(q, k.transpose(1, 2)) / self.n ** 0.5, keep)
        a = dropout(a, self.p, self.training)
        return torch.matmul(torch.matmul(a, v), self.Wo) + self.bo
