import numpy as np
import torch


def ancestors(i, back):
    j = i
    while j >= 0:
        yield j
        j = j - back[i]


def tree_mask(back):
    steps = back.cpu().numpy().astype(np.int64)
    n = len(steps)
    m = np.zeros((n, n), dtype=bool)
    for i in range(n):
        m[i, list(ancestors(i, steps))] = True
    return torch.from_numpy(m).to(back.device)


def tree_attention(query, key, value, back):
    b, h, n, d = query.shape
    total = key.shape[2]
    real = torch.float64 if query.dtype == torch.float64 else torch.float32
    visible = torch.nn.functional.pad(tree_mask(back), (total - n, 0), value=True)

    q = query.to(real).reshape(b * h, n, d) / np.sqrt(d).item()
    k = key.to(real).reshape(b * h, total, d)
    v = value.to(real).reshape(b * h, total, d)
    s = torch.bmm(q, k.transpose(1, 2)).masked_fill(~visible, -np.inf)
    p = torch.nn.functional.softmax(s, dim=2)
    return torch.bmm(p, v).reshape(b, h, n, d).to(query.dtype)
