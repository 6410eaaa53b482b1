# wrong: rope rope-wrong-frequencies line 8
# fair: rope-wrong-frequencies 7, 8
import torch


def freqs(d, base, device):
    i = torch.arange(d // 2, device=device)
    return base ** (-i / d)


def turn(a, b, angle):
    return a * angle.cos() - b * angle.sin(), a * angle.sin() + b * angle.cos()


def rope_half_split(x, positions, base=10000):
    angle = positions[:, None] * freqs(x.shape[-1], base, x.device)
    return torch.cat(turn(*x.chunk(2, -1), angle), -1).to(x.dtype)


def rope_interleaved(x, positions, base=10000):
    angle = positions[:, None] * freqs(x.shape[-1], base, x.device)
    return torch.stack(turn(x[..., ::2], x[..., 1::2], angle), -1).flatten(-2).to(x.dtype)
