# attn-kata: rope
import torch


def _cos_sin(positions, dim, base, dtype):
    i = torch.arange(dim // 2, device=positions.device, dtype=torch.float64)
    angle = positions.to(torch.float64).unsqueeze(-1) * float(base) ** (-2.0 * i / dim)
    return angle.cos().to(dtype), angle.sin().to(dtype)


def _rotate_(first, second, cos, sin):
    """旋转一对，结果写回去"""
    a, b = first, second
    first.copy_(a * cos - b * sin)
    second.copy_(b * cos + a * sin)


def rope_half_split(x, positions, base=10000):
    d = x.shape[-1]
    cos, sin = _cos_sin(positions, d, base, x.dtype)
    out = x.clone()         # 不改输入
    _rotate_(out[..., : d // 2], out[..., d // 2 :], cos, sin)
    return out


def rope_interleaved(x, positions, base=10000):
    d = x.shape[-1]
    cos, sin = _cos_sin(positions, d, base, x.dtype)
    out = x.clone()
    _rotate_(out[..., ::2], out[..., 1::2], cos, sin)
    return out
