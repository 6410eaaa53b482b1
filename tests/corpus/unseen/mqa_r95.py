from functools import partial

import torch
from torch import nn

Proj = partial(nn.Linear, bias=False)
fill = torch.finfo


class MultiQueryAttention(nn.Module):
    scale_power = -0.5
    axis_of_keys = -1

    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.shape_q = (num_heads, hidden_dim // num_heads)
        make = partial(Proj, hidden_dim)
        self.q, self.kv, self.o = make(hidden_dim), make(2 * self.shape_q[1]), make(hidden_dim)

    def forward(self, x, attention_mask=None):
        b, t, _ = x.shape
        h, d = self.shape_q
        k, v = self.kv(x).chunk(2, -1)  # b t d
        # all heads are only more queries to the same keys: (b, h*t, d)
        q = self.q(x).view(b, t, h, d).transpose(1, 2).reshape(b, h * t, d)
        s = torch.bmm(q, k.transpose(1, 2)).view(b, h, t, t) * d**self.scale_power
        if attention_mask is not None:
            s = s.masked_fill(attention_mask == 0, fill(s.dtype).min)
        w = s.softmax(self.axis_of_keys)
        y = torch.bmm(w.view(b, h * t, t), v).view(b, h, t, d)
        return self.o(y.transpose(1, 2).flatten(2))
