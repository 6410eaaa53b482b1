from dataclasses import dataclass, field

import torch
from torch import einsum, nn


@dataclass
class Width:
    hid: int = 64
    nh: int = 4


@dataclass
class Noise:
    pdrop: float = 0.1


@dataclass
class Opts:
    w: Width = field(default_factory=Width)
    z: Noise = field(default_factory=Noise)

    @property
    def dh(self) -> int:
        return self.w.hid // self.w.nh


class MultiHeadAttention(nn.Module):
    def __init__(self, o: Opts):
        super().__init__()
        assert o.w.hid % o.w.nh == 0
        self.o = o
        # [q|k|v, head, features in, features of the head]
        self.W = nn.Parameter(torch.empty(3, o.w.nh, o.w.hid, o.dh))
        # [head, features of the head, features out]
        self.U = nn.Parameter(torch.empty(o.w.nh, o.dh, o.w.hid))
        nn.init.normal_(self.W, std=o.w.hid**-0.5)
        nn.init.normal_(self.U, std=o.w.hid**-0.5)
        self.drop = nn.Dropout(o.z.pdrop)

    def forward(self, x, attention_mask=None):
        q, k, v = einsum("btc,zhcd->zbhtd", x, self.W)
        s = einsum("bhid,bhjd->bhij", q, k) * self.o.dh**-0.5
        if attention_mask is not None:
            s = s.masked_fill(attention_mask == 0, torch.finfo(s.dtype).min)
        a = self.drop(s.softmax(-1))
        y = einsum("bhij,bhjd->bhid", a, v)
        return einsum("bhid,hdc->bic", y, self.U)
