import torch


@torch.no_grad()
def flash_backward(query, key, value, output, lse, grad_output, block_size, causal=False):
    dt = torch.promote_types(query.dtype, torch.float32)
    q, k, v, o, do = (x.to(dt) for x in (query, key, value, output, grad_output))
    n, scale = q.shape[-2], q.shape[-1] ** -0.5
    lse = lse.to(dt)[..., None]
    delta = (do * o).sum(-1, keepdim=True)
    dq, dk, dv = torch.zeros_like(q), torch.empty_like(k), torch.empty_like(v)
    row = torch.arange(n, device=q.device)[:, None]

    for a in range(0, n, block_size):
        b = min(a + block_size, n)
        kj, vj = k[..., a:b, :], v[..., a:b, :]
        s = q @ kj.mT * scale - lse
        if causal:
            s.masked_fill_(row < torch.arange(a, b, device=q.device), -torch.inf)
        p = s.exp_()
        dv[..., a:b, :] = p.mT @ do
        ds = p * (do @ vj.mT - delta)
        dq += ds @ kj * scale
        dk[..., a:b, :] = ds.mT @ q * scale
    return dq.to(query.dtype), dk.to(key.dtype), dv.to(value.dtype)
