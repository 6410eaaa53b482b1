import torch
from torch import nn
import torch.nn.functional as F


class SelfAttentionV3(nn.Module):
    __constants__ = ["p"]

    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.p = float(dropout)
        # four matrices, stored (out, in): [wo, wk, wq, wv]
        self.mats = nn.ParameterList(
            [nn.Parameter(nn.init.orthogonal_(torch.empty(hidden_dim, hidden_dim))) for _ in range(4)]
        )
        self.offs = nn.ParameterList(
            [nn.Parameter(torch.zeros(hidden_dim)) for _ in range(4)]
        )

    def lin(self, idx, t):
        return F.linear(t, self.mats[idx], self.offs[idx])

    def drop(self, a):
        if not self.training or self.p == 0:
            return a
        if self.p >= 1:
            return a * 0
        keep = torch.rand_like(a) >= self.p
        return a * keep / (1 - self.p)

    def forward(self, x, attention_mask=None, *, return_weights=False):
        _, k, q, v = None, self.lin(1, x), self.lin(2, x), self.lin(3, x)
        e = torch.baddbmm(
            x.new_zeros(1, 1, 1), q, k.transpose(1, 2), beta=0, alpha=1 / x.size(-1) ** 0.5
        )
        if attention_mask is not None:
            lowest = torch.full((), torch.finfo(e.dtype).min, dtype=e.dtype, device=e.device)
            e = torch.where(attention_mask != 0, e, lowest)
        a = F.softmax(e, -1, dtype=torch.promote_types(e.dtype, torch.float32)).to(x.dtype)
        o = self.lin(0, self.drop(a) @ v)
        return (o, a) if return_weights else o
