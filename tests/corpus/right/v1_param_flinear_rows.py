# right: v1
# (out, in) matrices + F.linear; the key bias is left out since softmax cannot see it
import torch
import torch.nn.functional as F


class Attn(torch.nn.Module):
    def __init__(self, dim):
        super().__init__()
        mk = lambda *s: torch.nn.Parameter(torch.empty(*s).normal_(0, 0.02))
        self.wq, self.wk, self.wv = mk(dim, dim), mk(dim, dim), mk(dim, dim)
        self.bq, self.bv = mk(dim), mk(dim)
        self.scale = dim ** -0.5

    def forward(self, x):
        q = F.linear(x, self.wq, self.bq) * self.scale
        k = F.linear(x, self.wk)
        v = F.linear(x, self.wv, self.bv)
        return F.softmax(q @ k.mT, -1) @ v
