import torch, math

def flash_backward(query, key, value, output, lse, grad_output, block_size, causal=False):
    N = query.shape[2]
    f = torch.float64 if query.dtype == torch.float64 else torch.float32
    sc = 1 / math.sqrt(query.shape[3])
    # scale q one time here, cheaper than to scale every tile of scores
    q = query.to(f) * sc
    k = key.to(f); v = value.to(f); do = grad_output.to(f)
    D = torch.sum(do * output.to(f), dim=3, keepdim=True)
    LSE = lse.to(f)[:, :, :, None]

    dq = torch.zeros(q.shape, dtype=f, device=q.device)
    dk = torch.zeros(k.shape, dtype=f, device=q.device)
    dv = torch.zeros(v.shape, dtype=f, device=q.device)

    a = 0
    while a < N:
        e = min(a + block_size, N)
        kt = k[:, :, a:e]
        s = q @ kt.transpose(2, 3)
        if causal:
            pos_q = torch.arange(N, device=q.device).view(N, 1)
            pos_k = torch.arange(a, e, device=q.device).view(1, e - a)
            s[:, :, pos_k > pos_q] = -math.inf
        p = (s - LSE).exp()
        dv[:, :, a:e] = p.transpose(2, 3) @ do
        dp = do @ v[:, :, a:e].transpose(2, 3)
        ds = p * (dp - D)
        dq += ds @ kt * sc
        dk[:, :, a:e] = ds.transpose(2, 3) @ q * sc
        a = e
    return dq.to(query.dtype), dk.to(key.dtype), dv.to(value.dtype)
