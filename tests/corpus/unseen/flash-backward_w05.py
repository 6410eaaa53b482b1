"""Backward over key tiles with cuBLAS-style fused calls: everything that can be an epilogue is one."""
import torch


def flash_backward(query, key, value, output, lse, grad_output, block_size, causal=False):
    acc = torch.promote_types(query.dtype, torch.float32)
    flat = lambda x: x.to(acc).reshape(-1, *x.shape[2:])
    q, k, v, o, do = map(flat, (query, key, value, output, grad_output))
    z, length, hd = q.shape
    alpha = float(hd) ** -0.5
    neg_lse = -flat(lse).unsqueeze(-1)                       # (z, length, 1)
    delta = (do * o).sum(dim=2, keepdim=True)                # (z, length, 1)

    dq, dk, dv = torch.zeros_like(q), torch.zeros_like(k), torch.zeros_like(v)
    for c0 in range(0, length, block_size):
        c1 = min(c0 + block_size, length)
        n = c1 - c0
        r0 = c0 if causal else 0                             # earlier rows see nothing of this tile
        qr, dor = q[:, r0:], do[:, r0:]
        kt, vt = k[:, c0:c1], v[:, c0:c1]

        p = torch.baddbmm(neg_lse[:, r0:].expand(z, length - r0, n), qr, kt.mT, alpha=alpha).exp_()
        if causal:
            p.tril_()
        ds = torch.baddbmm(delta[:, r0:].expand(z, length - r0, n), dor, vt.mT, beta=-1.0, alpha=alpha)
        ds.mul_(p)

        dv[:, c0:c1].baddbmm_(p.mT, dor)
        dk[:, c0:c1].baddbmm_(ds.mT, qr)
        dq[:, r0:].baddbmm_(ds, kt)

    unflat = lambda g, like: g.reshape(like.shape).to(like.dtype)
    return unflat(dq, query), unflat(dk, key), unflat(dv, value)
