import torch
import torch.nn.functional as F
from torch import einsum


def look_back(t):
    # (b h blocks w d): every block with the one before it in front
    return torch.cat((t.roll(1, dims = 2), t), dim = 3)


def window_attention(query, key, value, window):
    b, h, n, d = query.shape
    w = min(window, n)
    pad = -n % w
    q, k, v = (F.pad(t, (0, 0, 0, pad)).unflatten(2, (-1, w)) for t in (query, key, value))
    k, v = look_back(k), look_back(v)

    sim = einsum('b h m i d, b h m j d -> b h m i j', q, k) * d ** -0.5

    i = torch.arange(w, device = q.device)[:, None] + w
    j = torch.arange(2 * w, device = q.device)[None, :]
    hidden = (j > i) | (j <= i - w)
    sim = sim.masked_fill(hidden, -torch.inf)

    out = einsum('b h m i j, b h m j d -> b h m i d', sim.softmax(dim = -1), v)
    return out.flatten(2, 3)[:, :, :n]
