import torch
import torch.nn.functional as F


def gated_step(q, k, v, g, s):
    a = torch.exp(F.logsigmoid(g) / 16)
    s = a[:, :, None, None] * s + k[:, :, :, None] * v[:, :, None, :]
    o = torch.einsum("bhd,bhdv->bhv", q, s)
    return o, s


def gated_linear_attention(q, k, v, g, s, chunk_size):
    n = q.size(2)
    g = F.logsigmoid(g.double()) / 16
    outs = []
    for i in range(0, n, chunk_size):
        j = min(i + chunk_size, n)
        qi, ki, vi = q[:, :, i:j], k[:, :, i:j], v[:, :, i:j]
        c = torch.cumsum(g[:, :, i:j], dim=2)
        gap = c[:, :, :, None] - c[:, :, None, :]
        later = torch.ones(j - i, j - i, dtype=torch.bool, device=q.device).triu(1)
        gap = gap.masked_fill(later, float("-inf"))
        m = torch.exp(gap).to(q.dtype)
        o = (qi @ ki.transpose(2, 3) * m) @ vi
        o = o + torch.exp(c).to(q.dtype)[..., None] * (qi @ s)
        outs.append(o)
        fade = torch.exp(c[:, :, -1:] - c).to(q.dtype)
        new = (ki * fade[..., None]).transpose(2, 3) @ vi
        s = torch.exp(c[:, :, -1]).to(q.dtype)[:, :, None, None] * s + new
    return torch.cat(outs, dim=2), s
