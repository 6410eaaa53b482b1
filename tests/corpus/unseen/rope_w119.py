import torch


def cos_sin(positions, n_pairs, base):
    # 每一对的角速度
    w = base ** (-torch.arange(n_pairs, device=positions.device) / n_pairs)
    a = positions[:, None] * w
    return a.cos(), a.sin()


def rope_half_split(x, positions, base=10000):
    n = x.shape[-1] // 2
    c, s = cos_sin(positions, n, base)
    left, right = x[..., :n], x[..., n:]
    # 两半分别旋转后再拼接
    return torch.cat([left * c - right * s, right * c + left * s], -1).to(x.dtype)


def rope_interleaved(x, positions, base=10000):
    c, s = cos_sin(positions, x.shape[-1] // 2, base)
    # 复制一份,不改动输入
    y = x.clone()
    even, odd = y[..., 0::2], y[..., 1::2]
    y[..., 0::2] = even * c - odd * s
    y[..., 1::2] = odd * c + even * s
    return y
