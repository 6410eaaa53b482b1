import argparse
import enum

import torch
from torch import nn


class Fill(enum.Enum):
    INF = "inf"
    FINITE = "finite"

    def number(self, dtype):
        match self:
            case Fill.INF:
                return float("-inf")
            case Fill.FINITE:
                return torch.finfo(dtype).min


class Attend(nn.Module):
    def __init__(self, *, rate, fill=Fill.FINITE):
        super().__init__()
        self.drop = nn.Dropout(p=rate)
        self.fill = Fill(fill)

    def forward(self, q, k, v, *, allowed=None):
        s = torch.baddbmm(q.new_zeros(1, 1, 1), q, k.mT, beta=0, alpha=q.shape[-1] ** -0.5)
        if allowed is not None:
            s = torch.where(allowed.bool(), s, self.fill.number(s.dtype))
        return torch.bmm(self.drop(s.softmax(-1)), v)


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1, **settings):
        super().__init__()
        bias = settings.pop("bias", True)
        self.qkv = nn.Linear(hidden_dim, hidden_dim * 3, bias=bias)
        self.out = nn.Linear(hidden_dim, hidden_dim, bias=bias)
        self.core = Attend(rate=dropout, **settings)

    def forward(self, x, attention_mask=None):
        return self.out(self.core(*self.qkv(x).tensor_split(3, dim=-1), allowed=attention_mask))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--dim", type=int, default=8)
    parser.add_argument("--dropout", type=float, default=0.1)
    options = parser.parse_args()
    model = SelfAttentionV3(options.dim, options.dropout, fill="inf").eval()
    print(model(torch.randn(2, 5, options.dim), torch.ones(2, 5, 5).tril()).shape)
