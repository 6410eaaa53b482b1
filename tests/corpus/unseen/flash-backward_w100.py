import math

import torch

E = torch.einsum


def _recompute(q, k, lse, hide):
    logp = E("bhqc,bhkc->bhqk", q, k) / math.sqrt(q.shape[-1]) - lse.unsqueeze(-1)
    logp = logp.clamp(max=0.0)
    if hide is not None:
        logp = torch.where(hide, -math.inf, logp)
    return logp.exp()


def flash_backward(query, key, value, output, lse, grad_output, block_size, causal=False):
    T = query.shape[2]
    scale = 1 / math.sqrt(query.shape[3])
    rowdot = E("bhqv,bhqv->bhq", grad_output, output).unsqueeze(-1)
    t = torch.arange(T, device=query.device)

    gq, gk, gv = torch.zeros_like(query), [], []
    for k, v, at in zip(*(x.split(block_size, dim) for x, dim in ((key, 2), (value, 2), (t, 0)))):
        hide = at > t[:, None] if causal else None
        p = _recompute(query, k, lse, hide)
        gp = E("bhqv,bhkv->bhqk", grad_output, v)
        gs = p * (gp - rowdot) * scale
        gq = gq + E("bhqk,bhkc->bhqc", gs, k)
        gk.append(E("bhqk,bhqc->bhkc", gs, query))
        gv.append(E("bhqk,bhqv->bhkv", p, grad_output))
    return gq, torch.cat(gk, dim=2), torch.cat(gv, dim=2)
