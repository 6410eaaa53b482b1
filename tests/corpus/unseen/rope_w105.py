import torch


def angles(positions, dim, base):
    inv = torch.pow(base, -torch.arange(0, dim, 2, dtype=torch.float64, device=positions.device) / dim)
    return torch.outer(positions.double(), inv)


def rotate_pair(a, b, theta):
    c, s = theta.cos().to(a.dtype), theta.sin().to(a.dtype)
    return a * c - b * s, b * c + a * s


def rope_half_split(x, positions, base=10000):
    dim = x.shape[-1]
    half = dim / 2
    a, b = rotate_pair(x[..., :half], x[..., half:], angles(positions, dim, base))
    return torch.cat((a, b), dim=-1)


def rope_interleaved(x, positions, base=10000):
    dim = x.shape[-1]
    pairs = x.unflatten(-1, (-1, 2))
    a, b = rotate_pair(pairs[..., 0], pairs[..., 1], angles(positions, dim, base))
    return torch.stack((a, b), dim=-1).reshape(x.shape)
