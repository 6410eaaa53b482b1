import torch


def _table(x, positions, base):
    n, d = x.shape[-2], x.shape[-1]
    first = positions[0]
    p = first + torch.arange(n, device=x.device)
    inv = torch.pow(float(base), -torch.arange(0, d, 2, device=x.device, dtype=torch.float64) / d)
    theta = torch.outer(p.double(), inv)
    return torch.polar(torch.ones_like(theta), theta)


def _rotate(a, b, unit):
    cos, sin = unit.real.to(a.dtype), unit.imag.to(a.dtype)
    return a * cos - b * sin, b * cos + a * sin


def rope_half_split(x, positions, base=10000):
    half = x.shape[-1] // 2
    return torch.cat(_rotate(x[..., :half], x[..., half:], _table(x, positions, base)), dim=-1)


def rope_interleaved(x, positions, base=10000):
    pairs = x.unflatten(-1, (-1, 2))
    turned = _rotate(pairs[..., 0], pairs[..., 1], _table(x, positions, base))
    return torch.stack(turned, dim=-1).flatten(-2)
