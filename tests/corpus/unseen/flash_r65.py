# State per query: o (already normalised) and l = log-sum-exp of the scores so far. Merging a tile
# with (o_t, l_t):   l' = log(e^l + e^l_t),   o' = e^(l - l') o + e^(l_t - l') o_t.
import torch
from torch import einsum


def flash_attention(query, key, value, block_size, causal=False):
    n, d = query.shape[-2:]
    q = query.float() if query.dtype in (torch.float16, torch.bfloat16) else query
    q = q * d**-0.5
    o = torch.zeros_like(q)
    l = torch.full_like(q[..., :1], float("-inf"))
    for a in range(0, n, block_size):
        K = key[..., a : a + block_size, :].to(q.dtype)
        V = value[..., a : a + block_size, :].to(q.dtype)
        first = a if causal else 0          # queries before a see nothing of this tile
        s = einsum("bhid,bhjd->bhij", q[..., first:, :], K)
        if causal:
            i = torch.arange(first, n, device=q.device)[:, None]
            j = torch.arange(a, a + K.shape[-2], device=q.device)
            s.masked_fill_(j > i, float("-inf"))
        l_t = s.logsumexp(-1, keepdim=True)
        o_t = einsum("bhij,bhjd->bhid", (s - l_t).exp(), V)
        l_old = l[..., first:, :]
        l_new = torch.logaddexp(l_old, l_t)
        o[..., first:, :] = o[..., first:, :] * (l_old - l_new).exp() + o_t * (l_t - l_new).exp()
        l[..., first:, :] = l_new
    return o.to(query.dtype)
