# right: rope
import torch


def rope_half_split(x, positions, base=10000):
    b, h, t, d = x.shape
    half = d // 2
    out = torch.zeros_like(x)
    for row in range(t):
        p = float(positions[row])
        for i in range(half):
            angle = torch.tensor(p / base ** (2 * i / d), dtype=torch.float64)
            c, s = torch.cos(angle).item(), torch.sin(angle).item()
            out[:, :, row, i] = x[:, :, row, i] * c - x[:, :, row, i + half] * s
            out[:, :, row, i + half] = x[:, :, row, i + half] * c + x[:, :, row, i] * s
    return out


def rope_interleaved(x, positions, base=10000):
    b, h, t, d = x.shape
    out = torch.zeros_like(x)
    for row in range(t):
        p = float(positions[row])
        for i in range(0, d, 2):
            angle = torch.tensor(p / base ** (i / d), dtype=torch.float64)
            c, s = torch.cos(angle).item(), torch.sin(angle).item()
            out[:, :, row, i] = x[:, :, row, i] * c - x[:, :, row, i + 1] * s
            out[:, :, row, i + 1] = x[:, :, row, i + 1] * c + x[:, :, row, i] * s
    return out
