import torch


class Rotary:
    def __init__(self, head_dim, base):
        self.inv_freq = [base ** (-2 * i / head_dim) for i in range(head_dim // 2)]

    def __call__(self, positions):
        w = torch.tensor(self.inv_freq, dtype=torch.float64, device=positions.device)
        angles = torch.einsum("i,j->ij", positions.double(), w)
        return angles.cos(), angles.sin()


def rope_half_split(x, positions, base=10000):
    cos, sin = (table.to(x.dtype) for table in Rotary(x.shape[-1], base)(positions))
    n = cos.shape[-1]
    a, b = x.narrow(-1, 0, n), x.narrow(-1, n, n)
    return torch.cat(
        [torch.addcmul(a * cos, b, sin, value=-1), torch.addcmul(b * cos, a, sin)], dim=-1
    )


def rope_interleaved(x, positions, base=10000):
    cos, sin = (table.to(x.dtype) for table in Rotary(x.shape[-1], base)(positions))
    a, b = x.view(*x.shape[:-1], -1, 2).unbind(-1)
    return torch.stack(
        [torch.addcmul(a * cos, b, sin, value=-1), torch.addcmul(b * cos, a, sin)], dim=-1
    ).view_as(x)
