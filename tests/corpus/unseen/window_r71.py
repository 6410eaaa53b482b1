import torch


def _band(n, lo, hi, **kw):
    """ones on the diagonals lo..hi"""
    return torch.ones(n, n, **kw).triu(lo).tril(hi)


def window_attention(query, key, value, window):
    B, H, N, D = query.size()
    flat = lambda t: t.reshape(B * H, N, D)  # noqa: E731
    band = _band(N, 1 - window, 0, device=query.device, dtype=query.dtype)
    s = torch.bmm(flat(query), flat(key).transpose(1, 2)).div(D**0.5)
    # largest visible score, so that exp never overflows; what is hidden gets 0 and not exp(...)
    top = s.detach().masked_fill(band == 0, float("-inf")).amax(dim=2, keepdim=True)
    e = torch.exp(torch.where(band > 0, s - top, 0.0)) * band
    out = torch.bmm(e, flat(value)) / e.sum(dim=2, keepdim=True)
    return out.reshape(B, H, N, D)
