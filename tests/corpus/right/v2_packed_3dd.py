# right: v2
import torch
from torch.nn import Module, Parameter


class FusedSelfAttention(Module):
    # one parameter of shape (3, D, D): a stack rather than a concatenation
    def __init__(self, dim):
        super().__init__()
        self.kernel = Parameter(torch.randn(3, dim, dim) * dim ** -0.5)
        self.offset = Parameter(torch.zeros(3, dim))

    def forward(self, x):
        qkv = torch.einsum("btd,kde->kbte", x, self.kernel) + self.offset[:, None, None, :]
        q, k, v = qkv[0], qkv[1], qkv[2]
        s = torch.einsum("bte,bse->bts", q, k) / (x.shape[2] ** 0.5)
        return torch.einsum("bts,bse->bte", s.softmax(-1), v)
