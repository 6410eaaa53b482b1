import torch


def inverse_frequencies(head_dim, base, device):
    steps = torch.arange(0, head_dim, 2, device=device, dtype=torch.float32)
    return 1.0 / (base ** (steps / head_dim))


def cos_sin(x, positions, base):
    inv = inverse_frequencies(x.shape[-1], base, x.device)
    freqs = torch.einsum("l,f->lf", positions.to(x).float(), inv)
    return freqs.cos().to(x.dtype), freqs.sin().to(x.dtype)


def rotate_half(x):
    a, b = x.chunk(2, dim=-1)
    return torch.cat((-b, a), dim=-1)


def rotate_every_two(x):
    even, odd = x[..., 0::2], x[..., 1::2]
    return torch.stack((-odd, even), dim=-1).flatten(start_dim=-2)


def rope_half_split(x, positions, base=10000):
    cos, sin = (torch.cat((t, t), dim=-1) for t in cos_sin(x, positions, base))
    return x * cos + rotate_half(x) * sin


def rope_interleaved(x, positions, base=10000):
    cos, sin = (t.repeat_interleave(2, dim=-1) for t in cos_sin(x, positions, base))
    return x * cos + rotate_every_two(x) * sin
