import torch


def _tiles(n, size):
    return ((i, min(i + size, n)) for i in range(0, n, size))


def flash_attention(query, key, value, block_size, causal=False):
    b, h, n, d = query.shape
    q = query.float() if query.dtype in (torch.float16, torch.bfloat16) else query
    q = q / d ** 0.5

    running_max = q.new_zeros(b, h, n)
    denominator = q.new_zeros(b, h, n)
    numerator = torch.zeros_like(q)
    positions = torch.arange(n, device=q.device)

    for lo, hi in _tiles(n, block_size):
        k, v = key[:, :, lo:hi].to(q.dtype), value[:, :, lo:hi].to(q.dtype)
        scores = torch.einsum("bhnd,bhmd->bhnm", q, k)
        if causal:
            scores = scores.masked_fill(positions[lo:hi] > positions[:, None], float("-inf"))
        block_max = scores.amax(dim=-1)
        next_max = torch.maximum(running_max, block_max)
        correction = (running_max - next_max).exp()
        p = (scores - next_max[..., None]).exp()
        denominator = denominator * correction + p.sum(dim=-1)
        numerator = numerator * correction[..., None] + torch.einsum("bhnm,bhmd->bhnd", p, v)
        running_max = next_max

    return (numerator / denominator[..., None]).to(query.dtype)
