import torch
from torch import nn


class GQA(nn.Module):
    def __init__(self, d_model, n_heads, n_kv_heads):
        super().__init__()
        self.h, self.g = n_heads, n_kv_heads
        self.d = d_model // n_heads
        self.q = nn.Linear(d_model, d_model)
        self.kv = nn.Linear(d_model, 2 * n_kv_heads * self.d)
        self.out = nn.Linear(d_model, d_model)

    def forward(self, x, mask=None):
        b, t, e = x.shape
        r = self.h // self.g
        q = self.q(x).reshape(b, t, self.g, r, self.d)
        k, v = self.kv(x).reshape(b, t, 2, self.g, self.d).unbind(2)
        s = torch.einsum("btgrd,bsgd->bgrts", q, k) * self.d**-0.5
        s = s.reshape(b, self.h, t, t)
        if mask is not None:
            s = s.masked_fill(mask.bool().logical_not(), torch.finfo(s.dtype).min)
        w = torch.softmax(s, -1).reshape(b, self.g, r, t, t)
        y = torch.einsum("bgrts,bsgd->btgrd", w, v)
        return self.out(y.reshape(b, t, e))
