import torch
import torch.nn.functional as F


def flash_attention(query, key, value, block_size, causal=False):
    """Pads keys and values to whole tiles, and hides what was padded."""
    length = key.size(2)
    pad = -length % block_size
    key, value = (F.pad(t, (0, 0, 0, pad)) for t in (key, value))
    tiles = (length + pad) // block_size
    q_pos = torch.arange(length, device=query.device).view(-1, 1)
    mx = torch.full_like(query[..., :1], float("-inf"))
    den = torch.zeros_like(mx)
    num = torch.zeros_like(query)
    for t in range(tiles):
        span = slice(t * block_size, (t + 1) * block_size)
        s = torch.matmul(query, key[:, :, span].transpose(2, 3)).div(query.size(-1) ** 0.5)
        k_pos = torch.arange(span.start, span.stop, device=query.device).view(1, -1)
        ok = k_pos < length
        if causal:
            ok = ok & (k_pos <= q_pos)
        s = s.masked_fill(~ok, float("-inf"))
        new = torch.maximum(mx, s.amax(dim=-1, keepdim=True))
        w = (s - new).exp_()
        fix = (mx - new).exp_()
        den.mul_(fix).add_(w.sum(dim=-1, keepdim=True))
        num.mul_(fix).add_(w.matmul(value[:, :, span]))
        mx = new
    return num.div_(den)
