# right: llama-block
import torch
from torch import einsum, nn


class RMSNorm(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(dim))

    def forward(self, x):
        return torch.nn.functional.rms_norm(x, self.gamma.shape, self.gamma, eps=1e-5)


class PreNormResidual(nn.Module):
    def __init__(self, dim, fn):
        super().__init__()
        self.norm = RMSNorm(dim)
        self.fn = fn

    def forward(self, x, *args):
        return self.fn(self.norm(x), *args) + x


class SwiGLU(nn.Module):
    def __init__(self, dim, inner):
        super().__init__()
        self.gate = nn.Sequential(nn.Linear(dim, inner, bias=False), nn.SiLU())
        self.up = nn.Linear(dim, inner, bias=False)
        self.down = nn.Linear(inner, dim, bias=False)

    def forward(self, x):
        return self.down(self.up(x) * self.gate(x))


class Attention(nn.Module):
    def __init__(self, dim, heads, kv_heads):
        super().__init__()
        self.heads, self.kv_heads = heads, kv_heads
        self.dim_head = dim // heads
        self.to_q = nn.Linear(dim, dim, bias=False)
        self.to_kv = nn.Linear(dim, 2 * kv_heads * self.dim_head, bias=False)
        self.to_out = nn.Linear(dim, dim, bias=False)

    def forward(self, x, cos, sin):
        n = x.shape[1]
        q = self.to_q(x).unflatten(-1, (self.heads, -1)).transpose(1, 2)
        k, v = (t.unflatten(-1, (self.kv_heads, -1)).transpose(1, 2) for t in self.to_kv(x).chunk(2, -1))

        def rope(t):
            turned = torch.cat((-t[..., self.dim_head // 2 :], t[..., : self.dim_head // 2]), -1)
            return t * cos.repeat(1, 2) + turned * sin.repeat(1, 2)

        q, k = rope(q * self.dim_head**-0.5), rope(k)
        q = q.unflatten(1, (self.kv_heads, -1))
        sim = einsum("bghid,bgjd->bghij", q, k)
        i = torch.arange(n, device=x.device)
        sim = sim.masked_fill(i[None, :] > i[:, None], -torch.finfo(sim.dtype).max)
        out = einsum("bghij,bgjd->bghid", sim.softmax(-1), v).flatten(1, 2)
        return self.to_out(out.transpose(1, 2).flatten(2))


class TransformerLayer(nn.Module):
    def __init__(self, dim, heads, kv_heads, ff_dim):
        super().__init__()
        self.attn = PreNormResidual(dim, Attention(dim, heads, kv_heads))
        self.ff = PreNormResidual(dim, SwiGLU(dim, ff_dim))

    def forward(self, x, cos, sin):
        return self.ff(self.attn(x, cos, sin))
