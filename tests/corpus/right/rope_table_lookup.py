# right: rope
import torch
import torch.nn.functional as F
from functools import partial


def _table(n, d, base, device):
    freqs = base ** (-2.0 * torch.arange(d // 2, device=device) / d)
    grid = torch.arange(n, device=device).float()[:, None] * freqs[None]
    return torch.stack((grid.cos(), grid.sin()))


def _rope(x, positions, base=10000, *, swap, spread):
    last = int(positions.max()) + 1
    cos, sin = _table(last, x.shape[-1], base, x.device)
    cos, sin = F.embedding(positions, cos), F.embedding(positions, sin)
    cos, sin = spread(cos)[None, None], spread(sin)[None, None]
    return (x.float() * cos + swap(x.float()) * sin).to(x)


def _halves(x):
    return x.roll(x.shape[-1] // 2, -1) * torch.tensor([-1.0, 1.0], device=x.device).repeat_interleave(x.shape[-1] // 2)


def _neighbours(x):
    return x.unflatten(-1, (-1, 2)).flip(-1).mul(torch.tensor([-1.0, 1.0], device=x.device)).flatten(-2)


rope_half_split = partial(_rope, swap=_halves, spread=lambda a: torch.cat([a, a], -1))
rope_interleaved = partial(_rope, swap=_neighbours, spread=lambda a: a.repeat_interleave(2, -1))
