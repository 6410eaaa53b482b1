import torch
import torch.nn.functional as F


def _tiles(x, size):
    """(B, H, L, D) -> iterator over (B, H, size, D), the last one filled up with zeros."""
    short = -x.shape[2] % size
    return F.pad(x, (0, 0, 0, short)).split(size, dim=2)


def flash_attention(query, key, value, block_size, causal=False):
    length, head_dim = query.shape[2], query.shape[3]
    size = min(block_size, length)
    acc = torch.promote_types(query.dtype, torch.float32)
    q = query.to(acc).mul(head_dim ** -0.5)
    where_q = torch.arange(length, device=q.device).view(-1, 1)

    best = q.new_full(q.shape[:3] + (1,), -float("inf"))
    mass = q.new_zeros(q.shape[:3] + (1,))
    out = q.new_zeros(q.shape)

    for n, (k, v) in enumerate(zip(_tiles(key.to(acc), size), _tiles(value.to(acc), size))):
        s = q.matmul(k.transpose(2, 3))
        if causal:
            where_k = torch.arange(n * size, (n + 1) * size, device=q.device).view(1, -1)
            s.masked_fill_(where_k > where_q, -float("inf"))
        newest = torch.max(best, s.amax(3, keepdim=True))
        decay = (best - newest).exp()
        e = (s - newest).exp_()
        mass = mass * decay + e.sum(3, keepdim=True)
        out = out * decay + e.matmul(v)
        best = newest

    return out.div(mass).to(query.dtype)
