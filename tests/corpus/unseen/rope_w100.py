import torch


def _cos_sin(positions, half, base, dtype):
    inv_freq = torch.pow(base, -torch.arange(half, device=positions.device, dtype=torch.float32) / half)
    phase = torch.outer(positions.float(), inv_freq)
    return phase.cos().to(dtype), phase.sin().to(dtype)


def rope_half_split(x, positions, base=10000):
    half = x.shape[-1] // 2
    cos, sin = _cos_sin(positions, half, base, x.dtype)
    out = x.clone()
    out[..., :half] = out[..., :half] * cos - out[..., half:] * sin
    out[..., half:] = out[..., half:] * cos + out[..., :half] * sin
    return out


def rope_interleaved(x, positions, base=10000):
    half = x.shape[-1] // 2
    cos, sin = _cos_sin(positions, half, base, x.dtype)
    even, odd = x[..., ::2], x[..., 1::2]
    out = torch.empty_like(x)
    out[..., ::2] = even * cos - odd * sin
    out[..., 1::2] = odd * cos + even * sin
    return out
