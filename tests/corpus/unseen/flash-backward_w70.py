import torch

ROWS = 64


def flash_backward(query, key, value, output, lse, grad_output, block_size, causal=False):
    length, d = query.shape[-2:]
    c = d ** -0.5
    wide = query.dtype if query.dtype.itemsize > 2 else torch.float32
    q, k, v = query.to(wide), key.to(wide), value.to(wide)
    g, z = grad_output.to(wide), lse.to(wide)
    diff = (g * output.to(wide)).sum(-1)
    gq, gk, gv = map(torch.zeros_like, (q, k, v))

    for top in range(0, length, ROWS):
        I = slice(top, min(top + ROWS, length))
        for left in range(0, length, block_size):
            J = slice(left, min(left + block_size, length))
            if causal and left >= I.stop:
                break
            w = torch.einsum("bhid,bhjd->bhij", q[:, :, I], k[:, :, J]) * c
            if causal:
                i = torch.arange(I.start, I.stop, device=w.device)
                j = torch.arange(J.start, J.stop, device=w.device)
                w = w.masked_fill(j[None] > i[:, None], float("-inf"))
            w = torch.exp(w - z[:, :, I, None])
            gv[:, :, J] += torch.einsum("bhij,bhiv->bhjv", w, g[:, :, I])
            t = torch.einsum("bhiv,bhjv->bhij", g[:, :, I], v[:, :, J])
            t = w * (t - diff[:, :, I, None])
            gq[:, :, I] += torch.einsum("bhij,bhjd->bhid", t, k[:, :, J]) * c
            gk[:, :, J] = torch.einsum("bhij,bhid->bhjd", t, q[:, :, I]) * c

    return gq.to(query), gk.to(key), gv.to(value)
