import torch
from torch import nn


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        d = hidden_dim
        self.W = nn.Parameter(torch.randn(3, d, d) * d**-0.5)

    def forward(self, x):
        # n batch, a/z positions, e model width, f projected width
        q, k, v = torch.einsum("nae,pef->pnaf", x, self.W)
        s = torch.einsum("naf,nzf->naz", q, k) * q.shape[-1] ** -0.5
        return torch.einsum("naz,nzf->naf", s.softmax(2), v)
