# wrong: v1 weights-on-keys line 16
import torch as th
import torch.nn as nn


class SA(nn.Module):
    def __init__(self, n_embd):
        super().__init__()
        for name in ("wq", "wk", "wv"):
            setattr(self, name, nn.Linear(n_embd, n_embd, bias=False))

    def forward(self, x):
        B, T, C = x.shape
        q, k, v = (getattr(self, n)(x) for n in ("wq", "wk", "wv"))
        att = th.softmax(th.einsum("btc,bsc->bts", q, k) * C ** -0.5, dim=-1)
        y = th.einsum("bts,bsc->btc", att, k)
        return y
