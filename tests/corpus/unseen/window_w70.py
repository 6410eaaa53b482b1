import torch
import torch.nn.functional as F
from torch import einsum


def look_back(t, pad_value=0.):
    # t: (..., w, n, d) -> every bucket together with the one before it, (..., w, 2n, d)
    dims = (0, 0) * 2
    before = F.pad(t, (*dims, 1, 0), value=pad_value)[..., :-1, :, :]
    return torch.cat((before, t), dim=-2)


def window_attention(query, key, value, window):
    b, h, n, d = query.shape
    size = min(window, n)

    # pad the sequence to a multiple of the bucket size
    pad = -n % size
    q, k, v = (F.pad(t, (0, 0, 0, pad)) for t in (query, key, value))
    w = (n + pad) // size

    # rearrange(t, 'b h (w n) d -> b h w n d', w = w)
    bq, bk, bv = (t.reshape(b, h, w, size, d) for t in (q, k, v))
    bk, bv = look_back(bk), look_back(bv)

    seq = torch.arange(n + pad, device=query.device).reshape(w, size, 1)
    q_t = seq
    k_t = look_back(seq, pad_value=-1).transpose(-1, -2)

    sim = einsum('b h w i d, b h w j d -> b h w i j', bq * d ** -0.5, bk)

    mask_value = -torch.finfo(sim.dtype).max
    causal = q_t < k_t
    too_far = q_t >= k_t + window
    sim = sim.masked_fill(causal | too_far, mask_value)

    attn = sim.softmax(dim=-1)
    out = einsum('b h w i j, b h w j d -> b h w i d', attn, bv)
    return out.reshape(b, h, n + pad, d)[:, :, :n]
