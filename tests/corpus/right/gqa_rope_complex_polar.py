# right: gqa-rope
# Halves as complex numbers: the first half is the real part, the second the imaginary one.
import torch
from torch import nn


class GQAWithRoPE(nn.Module):
    def __init__(self, dim, n_heads, n_kv_heads, theta=10000.0):
        super().__init__()
        self.n_heads, self.n_kv_heads = n_heads, n_kv_heads
        self.head_dim = dim // n_heads
        self.theta = theta
        self.wq = nn.Linear(dim, n_heads * self.head_dim, bias=False)
        self.wk = nn.Linear(dim, n_kv_heads * self.head_dim, bias=False)
        self.wv = nn.Linear(dim, n_kv_heads * self.head_dim, bias=False)
        self.wo = nn.Linear(n_heads * self.head_dim, dim, bias=False)

    def phases(self, start, length, device):
        d = self.head_dim
        freqs = 1.0 / (self.theta ** (torch.arange(0, d, 2, device=device)[: d // 2].float() / d))
        t = torch.arange(start, start + length, device=device).float()
        freqs = torch.outer(t, freqs)
        return torch.polar(torch.ones_like(freqs), freqs)

    @staticmethod
    def rotate(x, freqs_cis):
        wide = x if x.dtype == torch.float64 else x.float()
        z = torch.view_as_complex(wide.unflatten(-1, (2, -1)).transpose(-1, -2).contiguous())
        z = torch.view_as_real(z * freqs_cis)
        return z.transpose(-1, -2).flatten(-2).type_as(x)

    def forward(self, x, cache=None):
        b, t, _ = x.shape
        xq = self.wq(x).view(b, t, self.n_heads, self.head_dim).transpose(1, 2)
        xk = self.wk(x).view(b, t, self.n_kv_heads, self.head_dim).transpose(1, 2)
        xv = self.wv(x).view(b, t, self.n_kv_heads, self.head_dim).transpose(1, 2)
        start = 0 if cache is None else cache["k"].size(2)
        cis = self.phases(start, t, x.device)
        xq, xk = self.rotate(xq, cis), self.rotate(xk, cis)
        if cache is not None:
            xk = torch.cat([cache["k"], xk], 2)
            xv = torch.cat([cache["v"], xv], 2)
        n_rep = self.n_heads // self.n_kv_heads
        keys = torch.repeat_interleave(xk, n_rep, dim=1)
        values = torch.repeat_interleave(xv, n_rep, dim=1)
        att = xq @ keys.transpose(-2, -1) * self.head_dim**-0.5
        hidden = torch.ones(t, start + t, dtype=torch.bool, device=x.device).triu(start + 1)
        att = att.masked_fill(hidden, float("-inf")).softmax(-1)
        y = (att @ values).transpose(1, 2).reshape(b, t, -1)
        return self.wo(y), {"k": xk, "v": xv}
