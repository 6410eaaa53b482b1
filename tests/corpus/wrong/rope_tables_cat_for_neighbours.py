# wrong: rope rope-tables-misaligned line 25
# fair: rope-tables-misaligned 10, 20, 25
import torch


def _emb(x, positions, base):
    D = x.shape[-1]
    i = torch.arange(D // 2, device=x.device).float()
    f = positions.float().unsqueeze(-1) * torch.exp2(-2 * i / D * torch.log2(torch.tensor(float(base))))
    return torch.cat((f, f), -1)


def rope_half_split(x, positions, base=10000.0):
    e = _emb(x, positions, base)
    x1, x2 = x.chunk(2, -1)
    return (x * e.cos() + torch.cat((-x2, x1), -1) * e.sin()).to(x.dtype)


def rope_interleaved(x, positions, base=10000.0):
    e = _emb(x, positions, base)
    # (x0, x1, x2, x3) -> (-x1, x0, -x3, x2)
    r = torch.empty_like(x)
    r[..., ::2] = -x[..., 1::2]
    r[..., 1::2] = x[..., ::2]
    return (x * e.cos() + r * e.sin()).to(x.dtype)
