import torch


@torch.no_grad()
def attention_backward(query, key, value, grad_output, causal=False):
    dtype = query.dtype
    wide = torch.promote_types(dtype, torch.float32)
    q, k, v, do = [t.to(wide) for t in (query, key, value, grad_output)]
    scale = q.shape[-1] ** -0.5
    n, m = q.shape[-2], k.shape[-2]

    # forward, once more
    q = q * scale
    s = torch.einsum("...id,...jd->...ij", q, k)
    if causal:
        i = torch.arange(m - n, m, device=s.device)
        j = torch.arange(m, device=s.device)
        s.masked_fill_(j > i[:, None], -torch.inf)
    p = torch.softmax(s, -1)
    o = torch.einsum("...ij,...je->...ie", p, v)

    # and back
    dv = torch.einsum("...ij,...ie->...je", p, do)
    ds = p * (torch.einsum("...ie,...je->...ij", do, v) - (do * o).sum(-1, keepdim=True))
    dq = torch.einsum("...ij,...jd->...id", ds, k) * scale
    dk = torch.einsum("...ij,...id->...jd", ds, q)   # q carries the scale already
    return dq.to(dtype), dk.to(dtype), dv.to(dtype)
