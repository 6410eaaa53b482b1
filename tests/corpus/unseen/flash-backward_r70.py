import torch


@torch.no_grad()
def flash_backward(query, key, value, output, lse, grad_output, block_size, causal=False):
    wide = torch.promote_types(query.dtype, torch.float32)
    Q, K, V, O, L, G = (t.to(wide) for t in (query, key, value, output, lse, grad_output))
    n, c = Q.shape[2], Q.shape[-1] ** -0.5
    delta = torch.einsum("bhnd,bhnd->bhn", O, G)
    gq, gk, gv = (torch.zeros_like(t) for t in (Q, K, V))
    cuts = list(range(0, n, block_size))
    for j in cuts:
        J = slice(j, min(j + block_size, n))
        for i in cuts:
            if causal and i < j:
                continue
            I = slice(i, min(i + block_size, n))
            logp = torch.einsum("bhid,bhjd->bhij", Q[:, :, I], K[:, :, J]) * c - L[:, :, I, None]
            if causal and i == j:
                w = logp.shape[-1]
                logp.masked_fill_(torch.ones(w, w, device=Q.device, dtype=torch.bool).triu(1), -torch.inf)
            p = logp.exp()
            gv[:, :, J] += torch.einsum("bhij,bhie->bhje", p, G[:, :, I])
            ds = p * (torch.einsum("bhie,bhje->bhij", G[:, :, I], V[:, :, J]) - delta[:, :, I, None]) * c
            gq[:, :, I] += torch.einsum("bhij,bhjd->bhid", ds, K[:, :, J])
            gk[:, :, J] += torch.einsum("bhij,bhid->bhjd", ds, Q[:, :, I])
    return gq.to(query.dtype), gk.to(key.dtype), gv.to(value.dtype)
