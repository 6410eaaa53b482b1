# right: gated-linear
import torch
from torch import Tensor
from torch.nn.functional import logsigmoid


def gated_step(q: Tensor, k: Tensor, v: Tensor, g: Tensor, s: Tensor):
    alpha = torch.exp(logsigmoid(g) / 16)
    s = torch.einsum("bh,bhdv->bhdv", alpha, s) + torch.einsum("bhd,bhv->bhdv", k, v)
    return torch.einsum("bhd,bhdv->bhv", q, s), s


def gated_linear_attention(q, k, v, g, s, chunk_size):
    a = logsigmoid(g.float() if g.dtype.itemsize < 4 else g) / 16
    outs = []
    for qc, kc, vc, ac in zip(
        q.split(chunk_size, 2), k.split(chunk_size, 2), v.split(chunk_size, 2), a.split(chunk_size, 2)
    ):
        n = qc.shape[2]
        b = torch.cumsum(ac, dim=-1)
        seen = torch.ones(n, n, dtype=torch.bool, device=q.device).tril()
        d = torch.exp((b[..., :, None] - b[..., None, :]).masked_fill(~seen, -torch.inf)).to(q.dtype)
        o = torch.einsum("bhid,bhjd,bhij,bhjv->bhiv", qc, kc, d, vc)
        o = o + torch.einsum("bhi,bhid,bhdv->bhiv", b.exp().to(q.dtype), qc, s)
        outs.append(o)
        rest = (b[..., -1:] - b).exp().to(q.dtype)
        s = b[..., -1].exp().to(q.dtype)[..., None, None] * s
        s = s + torch.einsum("bhj,bhjd,bhjv->bhdv", rest, kc, vc)
    return torch.cat(outs, 2), s
