# right: flash
import torch


def tiled(q, k, v, rows=32, cols=16, lower=False):
    length = q.shape[-2]
    out = torch.empty_like(v)
    for top in range(0, length, rows):
        part = q[..., top : top + rows, :] * q.shape[-1] ** -0.5
        most = torch.full_like(part[..., :1], -torch.inf)
        total, mixed = torch.zeros_like(most), torch.zeros_like(part)
        for left in range(0, length, cols):
            scores = part @ k[..., left : left + cols, :].mT
            if lower:
                at = torch.arange(top, top + part.shape[-2], device=q.device)[:, None]
                to = torch.arange(left, left + scores.shape[-1], device=q.device)
                scores = scores.masked_fill(to > at, -torch.inf)
            new = torch.maximum(most, scores.amax(-1, keepdim=True))
            shares, shrunk = (scores - new).exp(), (most - new).exp()
            total = total * shrunk + shares.sum(-1, keepdim=True)
            mixed = mixed * shrunk + shares @ v[..., left : left + cols, :]
            most = new
        out[..., top : top + rows, :] = mixed / total
    return out
