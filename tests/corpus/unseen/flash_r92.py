import math

import torch


def flash_attention(query, key, value, block_size, causal=False):
    """Divide and conquer: halves of the tiles, merged by their log-sum-exps.

    solve(a, b) gives output and lse over the keys of tiles a ... b - 1. With causal it has the rows
    from its first key on only: earlier rows see none of its keys.
    """
    length, dim = query.shape[-2:]
    dtype = query.dtype
    if dtype in (torch.half, torch.bfloat16):
        query, key, value = query.float(), key.float(), value.float()

    def leaf(tile):
        lo, hi = tile * block_size, min((tile + 1) * block_size, length)
        first = lo if causal else 0
        s = torch.einsum("bhqd,bhkd->bhqk", query[:, :, first:], key[:, :, lo:hi]) / math.sqrt(dim)
        if causal:
            # square at the top: row lo + r sees columns up to r
            r = torch.arange(length - first, device=s.device).unsqueeze(-1)
            s = s.masked_fill(r < torch.arange(hi - lo, device=s.device), -math.inf)
        lse = s.logsumexp(-1, keepdim=True)
        return torch.exp(s - lse) @ value[:, :, lo:hi], lse

    def solve(a, b):
        if b - a == 1:
            return leaf(a)
        mid = (a + b) // 2
        (o1, l1), (o2, l2) = solve(a, mid), solve(mid, b)
        early = l1.shape[2] - l2.shape[2]  # rows that the right half does not have
        lse = torch.logaddexp(l1[:, :, early:], l2)
        late = o1[:, :, early:] * (l1[:, :, early:] - lse).exp() + o2 * (l2 - lse).exp()
        return torch.cat([o1[:, :, :early], late], 2), torch.cat([l1[:, :, :early], lse], 2)

    out, _ = solve(0, -(-length // block_size))
    return out.to(dtype)
