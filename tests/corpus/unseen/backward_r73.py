import torch


@torch.no_grad()
def attention_backward(query, key, value, grad_output, causal=False):
    B, H, Tq, d = query.shape
    Tk = key.shape[2]
    c = 1.0 / d ** 0.5
    wide = torch.promote_types(query.dtype, torch.float32)
    gq = torch.zeros(query.shape, dtype=wide, device=query.device)
    gk = torch.zeros(key.shape, dtype=wide, device=query.device)
    gv = torch.zeros(value.shape, dtype=wide, device=query.device)
    # one query at a time, Jacobian written out: diag(p) - p p^T
    for b in range(B):
        for h in range(H):
            K, V = key[b, h].to(wide), value[b, h].to(wide)
            for i in range(Tq):
                n = Tk - Tq + i + 1 if causal else Tk
                q, g = query[b, h, i].to(wide), grad_output[b, h, i].to(wide)
                p = torch.softmax(K[:n].mv(q) * c, 0)
                jac = torch.diag(p) - torch.outer(p, p)
                ds = jac.mv(V[:n].mv(g)) * c
                gv[b, h, :n] += torch.outer(p, g)
                gk[b, h, :n] += torch.outer(ds, q)
                gq[b, h, i] = ds @ K[:n]
    return gq.to(query.dtype), gk.to(key.dtype), gv.to(value.dtype)
