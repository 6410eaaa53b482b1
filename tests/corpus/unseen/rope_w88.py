import torch


class RoPE:
    """little cache-free helper; angles always in float32"""

    def __init__(self, dim, base):
        self.freq = torch.exp(-torch.log(torch.tensor(float(base))) * torch.arange(0, dim, 2).float() / dim)

    def __call__(self, a, b, pos):
        t = pos.float()[:, None] * self.freq.to(pos.device)
        s, c = torch.sin(t), torch.cos(t)
        return a * c - b * s, b * c + a * s


def rope_half_split(x, positions, base=10000):
    d = x.shape[-1]
    a, b = torch.split(x.float(), d // 2, dim=-1)
    return torch.cat(RoPE(d, base)(a, b, positions), dim=-1).to(x.dtype)


def rope_interleaved(x, positions, base=10000):
    d = x.shape[-1]
    a, b = x.float()[..., ::2], x.float()[..., 1::2]
    return torch.cat(RoPE(d, base)(a, b, positions), dim=-1).to(x.dtype)
