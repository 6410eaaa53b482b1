import torch
from torch import nn


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        mk = lambda: nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wq, self.wk, self.wv = mk(), mk(), mk()
        self.tau = hidden_dim ** -0.25

    def forward(self, x):
        # half of the temperature goes to each side (keeps fp16 products small)
        a = torch.einsum("nad,nzd->naz", self.wq(x) * self.tau, self.wk(x) * self.tau)
        return torch.einsum("naz,nzd->nad", a.softmax(-1), self.wv(x))
