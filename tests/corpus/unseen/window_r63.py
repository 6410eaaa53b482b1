import math
import torch


def window_attention(query, key, value, window):
    # brute force but it is clear: one query after another
    B, H, T, D = query.shape
    scale = 1.0 / math.sqrt(D)
    rows = []
    for i in range(T):
        lo = i - window + 1
        if lo < 0:
            lo = 0
        hi = i + 1
        q = query[:, :, i:i + 1, :]
        k = key[:, :, lo:hi, :]
        v = value[:, :, lo:hi, :]
        s = (q * k).sum(-1) * scale          # (B, H, hi - lo)
        s = s - s.max(dim=-1, keepdim=True).values
        e = torch.exp(s)
        w = e / e.sum(dim=-1, keepdim=True)
        row = (w.unsqueeze(-1) * v).sum(dim=2)
        rows.append(row)
    return torch.stack(rows, dim=2)
