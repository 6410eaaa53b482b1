# 旋转位置编码: 两种配对方式
import torch


def make_angles(positions, head_dim, base):
    start = int(positions[0])
    # 有缓存的时候不从 0 开始
    pos = torch.arange(start, start + len(positions), device=positions.device)
    i = torch.arange(head_dim // 2, device=positions.device).float()
    freq = float(base) ** (-2 * i / head_dim)
    return pos.float()[:, None] * freq[None, :]


def rotate_half(x):
    a, b = x.chunk(2, dim=-1)
    return torch.cat((-b, a), dim=-1)


def rotate_every_two(x):
    a, b = x[..., ::2], x[..., 1::2]
    return torch.stack((-b, a), dim=-1).flatten(-2)


def rope_half_split(x, positions, base=10000):
    ang = make_angles(positions, x.shape[-1], base).repeat(1, 2)
    return x * ang.cos().to(x.dtype) + rotate_half(x) * ang.sin().to(x.dtype)


def rope_interleaved(x, positions, base=10000):
    ang = make_angles(positions, x.shape[-1], base).repeat_interleave(2, dim=-1)
    return x * ang.cos().to(x.dtype) + rotate_every_two(x) * ang.sin().to(x.dtype)
