import torch
from torch import baddbmm, bmm


def flash_backward(query, key, value, output, lse, grad_output, block_size, causal=False):
    bsz, n_head, n, d = query.shape
    e = value.shape[-1]
    alpha = d**-0.5
    work = torch.promote_types(query.dtype, torch.float32)

    # everything as (bsz * n_head, n, ...), for bmm
    flat = lambda x: x.detach().reshape(bsz * n_head, n, -1).to(work)
    Q, K, V, O, G = map(flat, (query, key, value, output, grad_output))
    neg_lse = -flat(lse)
    neg_delta = -(G * O).sum(dim=2, keepdim=True)

    gq = torch.zeros_like(Q)
    gk, gv = [], []
    i = torch.arange(n, device=Q.device).unsqueeze(1)
    for j, k, v in zip(i.split(block_size), K.split(block_size, 1), V.split(block_size, 1)):
        # alpha * q k^T - lse in one call
        p = baddbmm(neg_lse, Q, k.transpose(1, 2), alpha=alpha).exp_()
        gv.append(bmm(p.transpose(1, 2), G))
        ds = baddbmm(neg_delta, G, v.transpose(1, 2)).mul_(p)
        if causal:
            ds.masked_fill_(j.T > i, 0.0)
        gq.baddbmm_(ds, k, alpha=alpha)
        gk.append(bmm(ds.transpose(1, 2), Q).mul_(alpha))

    gk, gv = torch.cat(gk, dim=1), torch.cat(gv, dim=1)
    back = lambda g, like: g.reshape(bsz, n_head, n, -1).to(like.dtype)
    return back(gq, query), back(gk, key), back(gv, value)
