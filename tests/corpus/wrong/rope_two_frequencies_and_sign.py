# wrong: rope rope-wrong-frequencies line 5, rope-sign-missing line 9
import torch
def tab(x, p, base):
    i = torch.arange(x.shape[-1] // 2, device=x.device)
    return p.float()[:, None] * base ** (-i / x.shape[-1])
def rope_half_split(x, positions, base=10000.0):
    w = tab(x, positions, base); w = torch.cat([w, w], -1)
    a, b = x.chunk(2, -1)
    return (x * w.cos() + torch.cat([b, a], -1) * w.sin()).to(x)
def rope_interleaved(x, positions, base=10000.0):
    w = tab(x, positions, base)
    a, b = x[..., ::2], x[..., 1::2]
    return torch.stack([a * w.cos() - b * w.sin(), b * w.cos() + a * w.sin()], -1).flatten(-2).to(x)
