import torch


def flash_backward(query, key, value, output, lse, grad_output, block_size, causal=False):
    hp = torch.float64 if query.dtype is torch.float64 else torch.float32
    q, k, v, o, do = (x.to(hp) for x in (query, key, value, output, grad_output))
    L = q.size(2)
    softmax_scale = q.size(3) ** -0.5
    q = q * softmax_scale
    dsum = (do * o).sum(-1, keepdim=True)
    lse = lse.to(hp)[..., None]
    rows = torch.arange(L, device=q.device)[:, None]

    dq = torch.zeros_like(q)
    dk_tiles, dv_tiles = [], []
    for n0 in range(0, L, block_size):
        kj, vj = k[:, :, n0:n0 + block_size], v[:, :, n0:n0 + block_size]
        cols = torch.arange(n0, n0 + kj.size(2), device=q.device)[None, :]
        s = torch.einsum("bhmd,bhnd->bhmn", q, kj)
        if causal:
            s = s.masked_fill(cols > rows, float("-inf"))
        p = torch.exp(s - lse)
        dp = torch.einsum("bhmv,bhnv->bhmn", do, vj)
        ds = p * (dp - dsum) * softmax_scale
        dv_tiles.append(torch.einsum("bhmn,bhmv->bhnv", p, do))
        dk_tiles.append(torch.einsum("bhmn,bhmd->bhnd", ds, q))
        dq += torch.einsum("bhmn,bhnd->bhmd", ds, kj)

    dk, dv = torch.cat(dk_tiles, 2), torch.cat(dv_tiles, 2)
    return dq.to(query.dtype), dk.to(key.dtype), dv.to(value.dtype)
