import torch
from torch import nn
from torch.nn.functional import linear


class CachedCrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.weight = nn.Parameter(torch.empty(4 * hidden_dim, hidden_dim))
        self.bias = nn.Parameter(torch.zeros(4 * hidden_dim))
        nn.init.normal_(self.weight, std=hidden_dim ** -0.5)

    def forward(self, x, memory, memory_lengths, cache=None):
        b, n, f = x.shape
        h, d = self.num_heads, f // self.num_heads
        wq, wk, wv, wo = self.weight.split(f)
        bq, bk, bv, bo = self.bias.split(f)
        if cache is None:
            m = memory.shape[1]
            k = linear(memory, wk, bk).reshape(b, m, h, d)
            v = linear(memory, wv, bv).reshape(b, m, h, d)
            hide = torch.arange(m, device=x.device)[None, :] >= memory_lengths.to(x.device)[:, None]
            cache = [k.detach(), v.detach(), hide]
        k, v, hide = cache
        q = linear(x, wq, bq).reshape(b, n, h, d)
        s = torch.einsum("bnhd,bmhd->bhnm", q, k) * (1.0 / d) ** 0.5
        s = s.masked_fill(hide[:, None, None, :], -torch.inf)
        s = s - s.amax(-1, keepdim=True)
        e = s.exp()
        c = torch.einsum("bhnm,bmhd->bnhd", e / e.sum(-1, keepdim=True), v)
        return linear(c.reshape(b, n, f), wo, bo), cache
