import torch


def flash_attention(query, key, value, block_size, causal=False):
    # per tile: a normalised output and a log-sum-exp, joined with logaddexp
    n, d = query.shape[-2:]
    out, lse = torch.zeros_like(query), None
    rows = torch.arange(n, device=query.device)
    for k, v, cols in zip(key.split(block_size, -2), value.split(block_size, -2), rows.split(block_size)):
        s = query @ k.transpose(-1, -2) / d**0.5
        if causal:
            s = torch.where(cols <= rows[:, None], s, torch.finfo(s.dtype).min)
        part = torch.logsumexp(s, -1, keepdim=True)
        tile = torch.softmax(s, -1) @ v
        if lse is None:
            out, lse = tile, part
            continue
        both = torch.logaddexp(lse, part)
        out = out * torch.exp(lse - both) + tile * torch.exp(part - both)
        lse = both
    return out
