# keys come in tiles, queries stay whole
import torch


def flash_backward(query, key, value, output, lse, grad_output, block_size, causal=False):
    scale = query.size(-1) ** -0.5
    kind = query.dtype
    work = torch.double if kind == torch.double else torch.float
    q, k, v, o, l, g = [t.to(work) for t in (query, key, value, output, lse, grad_output)]
    n = q.size(2)

    delta = torch.einsum('bhnv,bhnv->bhn', g, o)[..., None]
    l = l[..., None]
    dq, dks, dvs = 0, [], []
    i = torch.arange(n, device=q.device)
    # split() copes with a last piece that is shorter
    for kt, vt, jt in zip(k.split(block_size, 2), v.split(block_size, 2), i.split(block_size)):
        p = torch.einsum('bhid,bhjd->bhij', q, kt).mul(scale)
        if causal:
            p = p.masked_fill(jt > i[:, None], float('-inf'))
        p = p.sub(l).exp()
        dvs += [torch.einsum('bhij,bhiv->bhjv', p, g)]
        ds = (torch.einsum('bhiv,bhjv->bhij', g, vt) - delta) * p * scale
        dq = dq + torch.einsum('bhij,bhjd->bhid', ds, kt)
        dks += [torch.einsum('bhij,bhid->bhjd', ds, q)]
    return dq.to(kind), torch.cat(dks, 2).to(kind), torch.cat(dvs, 2).to(kind)
