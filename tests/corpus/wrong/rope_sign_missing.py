# wrong: rope rope-sign-missing line 22
# fair: rope-sign-missing 19, 20, 21, 22
# 学生作业：旋转矩阵的符号记错了
import torch


def rope_half_split(x, positions, base=10000):
    d = x.shape[-1]
    freq = 1.0 / (base ** (torch.arange(0, d, 2, device=x.device).float() / d))
    ang = positions.float()[:, None] * freq
    x1, x2 = x[..., : d // 2], x[..., d // 2 :]
    return torch.cat([x1 * ang.cos() - x2 * ang.sin(), x1 * ang.sin() + x2 * ang.cos()], -1).to(x.dtype)


def rope_interleaved(x, positions, base=10000):
    d = x.shape[-1]
    freq = 1.0 / (base ** (torch.arange(0, d, 2, device=x.device).float() / d))
    ang = positions.float()[:, None] * freq
    out = torch.zeros_like(x)
    cos = ang.cos().to(x.dtype)
    sin = ang.sin().to(x.dtype)
    out[..., 0::2] = x[..., 0::2] * cos + x[..., 1::2] * sin
    out[..., 1::2] = x[..., 0::2] * sin + x[..., 1::2] * cos
    return out
