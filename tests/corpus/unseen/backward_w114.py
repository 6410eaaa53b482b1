import torch


@torch.no_grad()
def attention_backward(query, key, value, grad_output, causal=False):
    half = query.dtype in (torch.float16, torch.bfloat16)
    q, k, v, do = [x.float() if half else x for x in (query, key, value, grad_output)]
    scale = q.shape[-1] ** -0.5
    q *= scale

    p = q @ k.transpose(-2, -1)
    if causal:
        lq, lk = p.shape[-2:]
        hide = torch.arange(lk, device=p.device) > torch.arange(lk - lq, lk, device=p.device)[:, None]
        p.masked_fill_(hide, float("-inf"))
    p -= p.amax(-1, keepdim=True)
    p.exp_()
    p /= p.sum(-1, keepdim=True)

    dv = p.transpose(-2, -1) @ do
    ds = do @ v.transpose(-2, -1)
    ds -= (ds * p).sum(-1, keepdim=True)
    ds *= p
    dk = ds.transpose(-2, -1) @ q
    dq = ds @ k
    dq *= scale
    if half:
        dq, dk, dv = dq.to(query.dtype), dk.to(query.dtype), dv.to(query.dtype)
    return dq, dk, dv
