# Rotierende Positionskodierung, beide Paarungen.
import torch


def winkel(positionen, dim, basis):
    # immer in float32, auch wenn x halbe Genauigkeit hat
    exponent = torch.arange(0, dim, 2, device=positionen.device, dtype=torch.float32) / dim
    frequenz = 1.0 / (basis**exponent)
    return positionen.float()[:, None] * frequenz[None, :]   # (Länge, dim/2)


def drehe_haelften(x):
    a, b = x.chunk(2, dim=-1)
    return torch.cat((-b, a), dim=-1)


def drehe_nachbarn(x):
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack((-b, a), dim=-1).flatten(-2)


def rope_half_split(x, positions, base=10000):
    w = winkel(positions, x.shape[-1], base)
    w = torch.cat((w, w), dim=-1)
    cos, sin = w.cos().to(x.dtype), w.sin().to(x.dtype)
    return x * cos + drehe_haelften(x) * sin


def rope_interleaved(x, positions, base=10000):
    w = winkel(positions, x.shape[-1], base)
    w = torch.cat((w, w), dim=-1)
    cos, sin = w.cos().to(x.dtype), w.sin().to(x.dtype)
    return x * cos + drehe_nachbarn(x) * sin
