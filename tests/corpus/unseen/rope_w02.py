# attn-kata: rope
# 旋转位置编码的两种写法
import torch


def get_angle(positions, dim, base, dtype):
    i = torch.arange(0, dim, 2, device=positions.device, dtype=torch.float32)
    theta = 1.0 / (base ** (i / dim))                    # [dim/2]
    positions = positions.to(dtype)
    theta = theta.to(dtype)
    return positions[:, None] * theta[None, :]           # [L, dim/2]


def rope_half_split(x, positions, base=10000):
    dim = x.shape[-1]
    angle = get_angle(positions, dim, base, x.dtype)
    cos, sin = torch.cos(angle), torch.sin(angle)
    # 前一半和后一半组成一对
    a = x[..., : dim // 2]
    b = x[..., dim // 2:]
    return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1)


def rope_interleaved(x, positions, base=10000):
    dim = x.shape[-1]
    angle = get_angle(positions, dim, base, x.dtype)
    cos, sin = torch.cos(angle), torch.sin(angle)
    # 相邻的两个数组成一对
    a = x[..., 0::2]
    b = x[..., 1::2]
    out = torch.stack([a * cos - b * sin, b * cos + a * sin], dim=-1)
    return out.flatten(-2)
