import math
import torch
from torch import Tensor


def attention(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, causal: bool = False) -> Tensor:
    """A fold over the keys: after key j, (out, log_sum) are those of softmax over keys 0..j."""
    dtype = torch.promote_types(query.dtype, torch.float32)
    low = -1e30                                             # float32 and float64 both hold it
    q, k, v = (t.to(dtype) for t in (query, key, value))
    batch, heads, nq, d = q.shape
    nk = k.shape[2]

    allowed = torch.ones((), dtype=torch.bool, device=q.device) if mask is None else mask != 0
    if causal:
        i = torch.arange(nk - nq, nk, device=q.device)
        j = torch.arange(nk, device=q.device)
        allowed = allowed & (i[:, None] >= j)
    allowed = allowed.expand(batch, heads, nq, nk)

    log_sum = out = None
    for j in range(nk):
        s = torch.linalg.vecdot(q, k[:, :, j : j + 1]) / math.sqrt(d)
        s = torch.where(allowed[..., j], s, low)
        row = v[:, :, j : j + 1]
        if log_sum is None:
            log_sum, out = s, (s - s).exp().unsqueeze(-1) * row
            continue
        grown = torch.logaddexp(log_sum, s)
        out = out * (log_sum - grown).exp().unsqueeze(-1) + (s - grown).exp().unsqueeze(-1) * row
        log_sum = grown
    return out.to(query.dtype)
