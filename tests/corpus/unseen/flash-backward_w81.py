import torch
from torch import Tensor


def flash_backward(query: Tensor, key: Tensor, value: Tensor, output: Tensor, lse: Tensor, grad_output: Tensor,
                   block_size: int, causal: bool = False):
    f = torch.promote_types(query.dtype, torch.float32)
    q, k, v, o, do, L = [t.to(f) for t in (query, key, value, output, grad_output, lse)]
    t, d = q.shape[-2:]
    sm_scale = d ** -0.5
    delta = (do * o).sum(-1, keepdim=True)
    dq = torch.zeros_like(q)
    dks, dvs = [], []
    offs_m = torch.arange(t, device=q.device)
    for lo in range(0, t, block_size):
        kb, vb = k[..., lo:lo + block_size, :], v[..., lo:lo + block_size, :]
        offs_n = lo + torch.arange(kb.shape[-2], device=q.device)
        qk = q @ kb.mT * sm_scale
        if causal:
            qk = qk.masked_fill(offs_n[None, :] > offs_m[:, None], float("-inf"))
        p = torch.exp(qk - L[..., None])
        dvs.append(p.mT @ do)
        dp = do @ vb.mT
        ds = p * (dp - (p * dp).sum(-1, keepdim=True)) * sm_scale
        dq = dq + ds @ kb
        dks.append(ds.mT @ q)
    return dq.to(query.dtype), torch.cat(dks, -2).to(key.dtype), torch.cat(dvs, -2).to(value.dtype)
