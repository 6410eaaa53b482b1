# Winkel einmal rechnen, dann nur noch Sinus und Kosinus anwenden.
import math

import torch


def _winkel(positions, dim, base):
    i = torch.arange(0, dim, 2, device=positions.device).float()
    log_rate = -2.0 * i / dim * math.log(base)
    return positions.float()[:, None] * log_rate.exp()[None, :]


def _drehen(a, b, w):
    c, s = torch.cos(w), torch.sin(w)
    return a * c - b * s, b * c + a * s


def rope_half_split(x, positions, base=10000):
    half = x.size(-1) // 2
    xf = x.float()
    w = _winkel(positions, x.size(-1), base)
    a, b = _drehen(xf.narrow(-1, 0, half), xf.narrow(-1, half, half), w)
    return torch.cat([a, b], -1).to(x.dtype)


def rope_interleaved(x, positions, base=10000):
    xf = x.float()
    w = _winkel(positions, x.size(-1), base)
    y = torch.empty_like(xf)
    y[..., ::2], y[..., 1::2] = _drehen(xf[..., ::2], xf[..., 1::2], w)
    return y.to(x.dtype)
