import torch


def rotate_half(x):
    """Rotates half the hidden dims of the input."""
    x1 = x[..., : x.shape[-1] // 2]
    x2 = x[..., x.shape[-1] // 2 :]
    return torch.cat((-x2, x1), dim=-1)


def rotate_every_two(x):
    x1 = x[..., ::2]
    x2 = x[..., 1::2]
    return torch.stack((-x2, x1), dim=-1).flatten(-2)


def compute_default_rope_parameters(head_dim, rope_theta, device):
    exponents = torch.arange(0, head_dim, 2, dtype=torch.int64).to(device=device, dtype=torch.float)
    return 1.0 / (rope_theta ** (exponents / head_dim))


def rope_half_split(x, positions, base=10000):
    inv_freq = compute_default_rope_parameters(x.shape[-1], base, x.device)
    freqs = positions[:, None].float() * inv_freq[None, :]
    emb = torch.cat((freqs, freqs), dim=-1)
    cos, sin = emb.cos().to(x.dtype), emb.sin().to(x.dtype)
    return (x * cos) + (rotate_half(x) * sin)


def rope_interleaved(x, positions, base=10000):
    inv_freq = compute_default_rope_parameters(x.shape[-1], base, x.device)
    freqs = positions[:, None].float() * inv_freq[None, :]
    emb = freqs.repeat_interleave(2, dim=-1)
    cos, sin = emb.cos().to(x.dtype), emb.sin().to(x.dtype)
    return (x * cos) + (rotate_every_two(x) * sin)
