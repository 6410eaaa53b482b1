import torch


BLOCK = 64


def window_attention(query, key, value, window):
    """Query blocks of 64 rows, each against the slice of keys that it can reach."""
    scale = query.shape[-1] ** -0.5
    n = query.shape[-2]
    chunks = []
    for lo in range(0, n, BLOCK):
        hi = min(lo + BLOCK, n)
        start = max(0, lo - BLOCK)  # this block and the one before
        q = query[..., lo:hi, :] * scale
        s = q @ key[..., start:hi, :].transpose(-2, -1)
        i = torch.arange(lo, hi, device=query.device).unsqueeze(1)
        j = torch.arange(start, hi, device=query.device).unsqueeze(0)
        visible = (j <= i) & (j > i - window)
        s.masked_fill_(~visible, float("-inf"))
        chunks.append(s.softmax(-1) @ value[..., start:hi, :])
    return torch.cat(chunks, dim=-2)
