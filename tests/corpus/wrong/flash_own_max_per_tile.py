# wrong: flash max-not-carried line 15
import torch


def flash_attention(query, key, value, block_size, causal=False):
    """Online softmax, keys tile by tile."""
    n, d = query.size(2), query.size(3)
    num = torch.zeros_like(query)
    den = torch.zeros_like(query[..., :1])
    for a in range(0, n, block_size):
        s = torch.einsum("bhid,bhjd->bhij", query, key[:, :, a:a + block_size]) / d ** 0.5
        if causal:
            hidden = torch.arange(a, min(n, a + block_size), device=s.device) > torch.arange(n, device=s.device)[:, None]
            s = s.masked_fill(hidden, torch.finfo(s.dtype).min)
        p = torch.exp(s - s.amax(-1, keepdim=True))
        den = den + p.sum(-1, keepdim=True)
        num = num + torch.einsum("bhij,bhjd->bhid", p, value[:, :, a:a + block_size])
    return num / den
