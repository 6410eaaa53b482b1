import torch


def attention_backward(query, key, value, grad_output, causal=False):
    """一个一个 head 地算;半精度先升到 float32。"""
    up = torch.float64 if query.dtype == torch.float64 else torch.float32
    gq, gk, gv = (torch.zeros_like(t, dtype=up) for t in (query, key, value))
    n, m, d = query.shape[2], key.shape[2], query.shape[3]
    scale = d ** -0.5
    hidden = None
    if causal:
        rows = torch.arange(m - n, m, device=query.device)
        hidden = rows[:, None] < torch.arange(m, device=query.device)

    for b in range(query.shape[0]):
        for h in range(query.shape[1]):
            q, k, v, do = (t[b, h].to(up) for t in (query, key, value, grad_output))
            s = torch.addmm(q.new_zeros(()), q, k.t(), beta=0, alpha=scale)
            if hidden is not None:
                s[hidden] = float('-inf')
            e = torch.exp(s - s.max(dim=1, keepdim=True).values)
            o_unnorm = e @ v
            z = e.sum(1, keepdim=True)
            p = e / z
            # delta = rowsum(dO * O)
            delta = (do * (o_unnorm / z)).sum(1, keepdim=True)
            ds = p * (do @ v.t() - delta) * scale
            gv[b, h] = p.t() @ do
            gq[b, h] = ds @ k
            gk[b, h] = ds.t() @ q
    return gq.to(query.dtype), gk.to(key.dtype), gv.to(value.dtype)
