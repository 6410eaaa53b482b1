import torch


def flash_backward(query, key, value, output, lse, grad_output, block_size, causal=False):
    kind = query.dtype
    wide = torch.double if kind == torch.double else torch.float
    q, k, v, o, l, do = [x.to(wide) for x in (query, key, value, output, lse, grad_output)]
    n, d = q.shape[-2:]
    q = q * d**-0.5
    row_sum = (do * o).sum(-1, keepdim=True)

    def one_tile(start):
        kt, vt = k[:, :, start : start + block_size], v[:, :, start : start + block_size]
        p = torch.exp(q @ kt.mT - l[..., None])
        if causal:
            i = torch.arange(n, device=q.device)
            p = p * (i[:, None] >= i[start : start + block_size])
        ds = p * (do @ vt.mT - row_sum)
        return ds @ kt * d**-0.5, ds.mT @ q, p.mT @ do

    dq, dk, dv = zip(*map(one_tile, range(0, n, block_size)))
    total = torch.zeros_like(q)
    for part in dq:
        total += part
    return total.to(kind), torch.cat(dk, 2).to(kind), torch.cat(dv, 2).to(kind)
