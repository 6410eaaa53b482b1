import torch


def attention(query, key, value, mask=None, causal=False):
    """Online softmax over blocks of keys, as a flash kernel does it."""
    B, H, Lq, D = query.shape
    Lk, block = key.shape[-2], 64
    q = query * D ** -0.5
    lowest = torch.finfo(q.dtype).min
    top = q.new_full((B, H, Lq, 1), lowest)
    norm = q.new_zeros(B, H, Lq, 1)
    acc = q.new_zeros(B, H, Lq, value.shape[-1])
    where = torch.arange(Lq, device=q.device).unsqueeze(1) + Lk - Lq
    if mask is not None:
        mask = (mask != 0).expand(B, H, Lq, Lk)
    for lo in range(0, Lk, block):
        hi = min(lo + block, Lk)
        s = q @ key[..., lo:hi, :].transpose(-2, -1)
        ok = torch.ones(Lq, hi - lo, dtype=torch.bool, device=q.device)
        if causal:
            ok = torch.arange(lo, hi, device=q.device) <= where
        if mask is not None:
            ok = ok & mask[..., lo:hi]
        s = s.masked_fill(~ok, lowest)
        new_top = torch.maximum(top, s.amax(-1, keepdim=True).detach())
        p = (s - new_top).exp() * ok
        fade = (top - new_top).exp()
        norm = norm * fade + p.sum(-1, keepdim=True)
        acc = acc * fade + p @ value[..., lo:hi, :]
        top = new_top
    return acc / norm.clamp_min(torch.finfo(norm.dtype).tiny)
