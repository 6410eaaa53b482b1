# right: flash-backward
import math
import torch
from torch import Tensor


def flash_backward(query: Tensor, key: Tensor, value: Tensor, out: Tensor, lse: Tensor,
                   dout: Tensor, block_size: int, causal: bool = False):
    kept = query.dtype
    wide = torch.float64 if kept == torch.float64 else torch.float32
    q, k, v, o, l, do = (t.to(wide) for t in (query, key, value, out, lse, dout))
    n = q.shape[-2]
    scale = 1.0 / math.sqrt(q.shape[-1])
    d_row = torch.sum(do * o, -1)
    dq, dk, dv = torch.zeros_like(q), torch.zeros_like(k), torch.zeros_like(v)
    for c0 in range(0, n, block_size):
        c1 = min(c0 + block_size, n)
        # rows above the first key of the tile see nothing of it
        r0 = c0 if causal else 0
        s = q[:, :, r0:] @ k[:, :, c0:c1].transpose(2, 3) * scale
        if causal:
            r = torch.arange(r0, n, device=s.device).view(-1, 1)
            c = torch.arange(c0, c1, device=s.device).view(1, -1)
            s.masked_fill_(c > r, float("-inf"))
        p = torch.exp(s - l[:, :, r0:, None])
        dv[:, :, c0:c1] = p.transpose(2, 3) @ do[:, :, r0:]
        ds = p * (do[:, :, r0:] @ v[:, :, c0:c1].transpose(2, 3) - d_row[:, :, r0:, None]) * scale
        dk[:, :, c0:c1] = ds.transpose(2, 3) @ q[:, :, r0:]
        dq[:, :, r0:] += ds @ k[:, :, c0:c1]
    return dq.to(kept), dk.to(kept), dv.to(kept)
