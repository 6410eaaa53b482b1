import torch


@torch.no_grad()
def attention_backward(query, key, value, grad_output, causal=False):
    lead = query.shape[:2]
    q, k, v, g = (t.flatten(0, 1) for t in (query, key, value, grad_output))
    norm = query.shape[-1] ** 0.5
    s = torch.bmm(q, k.transpose(1, 2)).div_(norm)
    if causal:
        qi = torch.arange(q.shape[1], device=q.device) + (k.shape[1] - q.shape[1])
        ki = torch.arange(k.shape[1], device=q.device)
        s += torch.where(ki.unsqueeze(0) > qi.unsqueeze(1), float("-inf"), 0.0).to(s.dtype)
    p = s.softmax(2)
    dv = torch.bmm(p.transpose(1, 2), g)
    dp = torch.bmm(g, v.transpose(1, 2))
    ds = p.mul(dp).sub_(p * (p * dp).sum(2, keepdim=True)).div_(norm)
    return tuple(
        t.unflatten(0, lead) for t in (torch.bmm(ds, k), torch.bmm(ds.transpose(1, 2), q), dv)
    )
