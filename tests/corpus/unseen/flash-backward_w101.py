import math
import torch


@torch.no_grad()
def flash_backward(query, key, value, output, lse, grad_output, block_size, causal=False):
    wide = torch.promote_types(query.dtype, torch.float32)
    q, k, v, o, do = (t.to(wide) for t in (query, key, value, output, grad_output))
    L = lse.to(wide).unsqueeze(-1)
    B, H, T, d = q.shape
    scale = 1.0 / math.sqrt(d)

    delta = (do * o).sum(-1, keepdim=True)
    dq = torch.zeros_like(q)
    dk = torch.zeros_like(k)
    dv = torch.zeros_like(v)

    for j in range(0, T, block_size):
        kj, vj = k[:, :, j:j + block_size], v[:, :, j:j + block_size]
        # queries in tiles as well
        for i in range(0, T, block_size):
            if causal and i + block_size <= j:
                continue
            qi, doi = q[:, :, i:i + block_size], do[:, :, i:i + block_size]
            s = qi @ kj.mT * scale
            if causal:
                r = torch.arange(i, i + qi.size(2), device=q.device)[:, None]
                c = torch.arange(j, j + kj.size(2), device=q.device)[None, :]
                s = s.masked_fill(c > r, float("-inf"))
            p = torch.exp(s - L[:, :, i:i + block_size])
            ds = p * (doi @ vj.mT - delta[:, :, i:i + block_size]) * scale
            dv[:, :, j:j + block_size] = p.mT @ doi
            dk[:, :, j:j + block_size] += ds.mT @ qi
            dq[:, :, i:i + block_size] += ds @ kj
    return tuple(g.to(query.dtype) for g in (dq, dk, dv))
