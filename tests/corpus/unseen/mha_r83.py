# Everything the layer knows is one flat vector, as in my old NumPy optimiser code.
import math

import torch
import torch.nn.functional as F
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        assert hidden_dim % num_heads == 0, f"{hidden_dim=} is no multiple of {num_heads=}"
        self.n, self.h, self.rate = hidden_dim, num_heads, dropout
        self.shapes = {
            "k": (num_heads, hidden_dim // num_heads, hidden_dim),
            "o": (num_heads, hidden_dim // num_heads, hidden_dim),
            "v": (num_heads, hidden_dim // num_heads, hidden_dim),
            "q": (num_heads, hidden_dim // num_heads, hidden_dim),
            "end": (hidden_dim,),
        }
        total = sum(math.prod(s) for s in self.shapes.values())
        self.theta = nn.Parameter(torch.empty(total).uniform_(-1, 1) / math.sqrt(hidden_dim))

    def unpack(self):
        out, at = {}, 0
        for name, shape in self.shapes.items():
            size = math.prod(shape)
            out[name] = self.theta[at:at + size].view(shape)
            at += size
        return out

    def forward(self, x, attention_mask=None):
        w = self.unpack()
        s = x.transpose(0, 1)                                        # length first
        q = torch.einsum("tbm,hdm->hbtd", s, w["q"])
        k = torch.einsum("sbm,hdm->hbsd", s, w["k"])
        v = torch.einsum("sbm,hdm->hbsd", s, w["v"])
        z = torch.einsum("hbtd,hbsd->bhts", q, k) * w["q"].size(1) ** -0.5
        if attention_mask is not None:
            z = torch.where(attention_mask.bool(), z, torch.finfo(z.dtype).min)
        p = F.dropout(z.softmax(3), self.rate, self.training)
        c = torch.einsum("bhts,hbsd->thbd", p, v)
        y = torch.tensordot(c, w["o"], dims=([1, 3], [0, 1]))        # over heads and features
        return (y + w["end"]).transpose(0, 1)
