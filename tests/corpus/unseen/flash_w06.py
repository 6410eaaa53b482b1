import math
import torch
import torch.nn.functional as F


def flash_attention(query, key, value, block_size, causal=False):
    b, h, n, d = query.shape
    extra = -n % block_size
    # full tiles only, makes the loop simpler
    key = F.pad(key, (0, 0, 0, extra))
    value = F.pad(value, (0, 0, 0, extra))
    kt = key.view(b, h, -1, block_size, d)
    vt = value.view(b, h, -1, block_size, d)

    i = torch.arange(n, device=query.device)
    m = torch.full((b, h, n), -math.inf, device=query.device, dtype=torch.float64)
    z = torch.zeros_like(m)
    o = torch.zeros(b, h, n, d, device=query.device, dtype=torch.float64)
    for t in range(kt.shape[2]):
        s = torch.einsum("bhid,bhjd->bhij", query.double(), kt[:, :, t].double()) / math.sqrt(d)
        if causal:
            j = t * block_size + torch.arange(block_size, device=query.device)
            s = s.masked_fill(j[None, :] > i[:, None], -math.inf)
        new = torch.maximum(m, s.amax(dim=3))
        w = torch.exp(s - new[..., None])
        fade = torch.exp(m - new)
        z = fade * z + w.sum(dim=3)
        o = fade[..., None] * o + torch.einsum("bhij,bhjd->bhid", w, vt[:, :, t].double())
        m = new
    return (o / z[..., None]).to(query.dtype)
