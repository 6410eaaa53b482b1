# right: flash
import torch


def _tile(q, k, v, hide):
    s = torch.matmul(q, k.transpose(-1, -2))
    if hide is not None:
        s = s.masked_fill(hide, float("-inf"))
    lse = torch.logsumexp(s, -1, keepdim=True)
    return torch.matmul(torch.exp(s - lse), v), lse


def flash_attention(query, key, value, block_size, causal=False):
    n, d = query.shape[-2], query.shape[-1]
    wide = torch.float64 if query.dtype == torch.float64 else torch.float32
    q, k, v = query.to(wide) * d**-0.5, key.to(wide), value.to(wide)
    out = torch.zeros_like(q)
    lse = torch.full_like(q[..., :1], float("-inf"))
    for a in range(0, n, block_size):
        z = min(a + block_size, n)
        lo = a if causal else 0  # earlier rows see nothing of this tile
        hide = None
        if causal:
            hide = torch.arange(a, z, device=q.device) > torch.arange(lo, n, device=q.device)[:, None]
        o, l = _tile(q[..., lo:, :], k[..., a:z, :], v[..., a:z, :], hide)
        old = lse[..., lo:, :]
        new = torch.logaddexp(old, l)
        out[..., lo:, :] = out[..., lo:, :] * torch.exp(old - new) + o * torch.exp(l - new)
        lse[..., lo:, :] = new
    return out.to(query.dtype)
