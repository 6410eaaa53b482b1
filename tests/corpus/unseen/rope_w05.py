import torch


def _angles(positions, pairs, base):
    # geometric ladder of frequencies from 1 down to 1/base
    ladder = float(base) ** -torch.linspace(0, 1, pairs, device=positions.device)
    return positions[:, None].float() * ladder


def rope_half_split(x, positions, base=10000):
    n = x.shape[-1] // 2
    t = _angles(positions, n, base)
    c, s = t.cos().to(x), t.sin().to(x)
    left, right = x.split(n, dim=-1)
    return torch.cat([left * c - right * s, right * c + left * s], -1)


def rope_interleaved(x, positions, base=10000):
    n = x.shape[-1] // 2
    t = _angles(positions, n, base)
    c, s = t.cos().to(x), t.sin().to(x)
    even, odd = x[..., ::2], x[..., 1::2]
    return torch.stack([even * c - odd * s, odd * c + even * s], -1).flatten(-2)
