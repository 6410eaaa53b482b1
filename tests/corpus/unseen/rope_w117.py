import torch
from einops import rearrange, repeat


def freqs_for(positions, dim, theta):
    inv = theta ** (-torch.arange(0, dim, 2, device = positions.device).float() / dim)
    freqs = torch.einsum('n, f -> n f', positions.float(), inv)
    return repeat(freqs, 'n f -> n (r f)', r = 2)


def halves(x):
    a, b = rearrange(x, '... (r d) -> ... r d', r = 2).unbind(dim = -2)
    return torch.cat((-b, a), dim = -1)


def neighbours(x):
    a, b = rearrange(x, '... (d r) -> ... d r', r = 2).unbind(dim = -1)
    return rearrange(torch.stack((-b, a), dim = -1), '... d r -> ... (d r)')


def rope_half_split(x, positions, base = 10000):
    freqs = freqs_for(positions, x.shape[-1], base)
    return (x * freqs.cos() + halves(x) * freqs.sin()).type_as(x)


def rope_interleaved(x, positions, base = 10000):
    freqs = freqs_for(positions, x.shape[-1], base)
    return (x * freqs.cos() + neighbours(x) * freqs.sin()).type_as(x)
