import math

import torch
from torch import nn


def rope(x, start):
    n, d = x.shape[-2:]
    theta = 10000.0 ** (-torch.arange(d // 2, device=x.device) * 2 / d)
    angle = torch.arange(start, start + n, device=x.device)[:, None] * theta
    a, b = x[..., : d // 2], x[..., d // 2 :]
    c, s = angle.cos(), angle.sin()
    return torch.cat([a * c - b * s, b * c + a * s], -1).to(x.dtype)


class MLA(nn.Module):
    def __init__(self, d, n_h, d_h, d_h_R, d_c):
        super().__init__()
        self.n_h, self.d_h, self.d_R = n_h, d_h, d_h_R
        lin = lambda i, o: nn.Linear(i, o, bias=False)
        self.W_Q = lin(d, n_h * d_h)
        self.W_QR = lin(d, n_h * d_h_R)
        self.W_DKV = lin(d, d_c)
        self.W_UK = lin(d_c, n_h * d_h)
        self.W_UV = lin(d_c, n_h * d_h)
        self.W_KR = lin(d, d_h_R)
        self.W_O = lin(n_h * d_h, d)

    def forward(self, h, cache=None):
        B, T, _ = h.shape
        heads = lambda t: t.reshape(B, t.shape[1], self.n_h, -1).transpose(1, 2)
        t0 = cache["c"].shape[1] if cache else 0
        c_KV = self.W_DKV(h)
        k_R = rope(self.W_KR(h), t0)
        if cache:
            c_KV = torch.cat([cache["c"], c_KV], 1)
            k_R = torch.cat([cache["k"], k_R], 1)
        q_C, q_R = heads(self.W_Q(h)), rope(heads(self.W_QR(h)), t0)
        k_C, v_C = heads(self.W_UK(c_KV)), heads(self.W_UV(c_KV))
        q = torch.cat([q_C, q_R], -1)
        k = torch.cat([k_C, k_R.unsqueeze(1).expand(-1, self.n_h, -1, -1)], -1)
        S = k.shape[2]
        att = q @ k.transpose(-1, -2) / math.sqrt(self.d_h + self.d_R)
        ban = torch.ones(T, S, dtype=torch.bool, device=h.device).triu(S - T + 1)
        o = att.masked_fill(ban, float("-inf")).softmax(-1) @ v_C
        return self.W_O(o.transpose(1, 2).flatten(2)), {"c": c_KV, "k": k_R}
