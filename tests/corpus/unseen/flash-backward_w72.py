# attn-kata: flash-backward
import torch

Q_TILE = 32


def _tile_probs(q, k, lse, scale, rows, cols, causal):
    s = torch.einsum("bhid,bhjd->bhij", q, k) * scale
    if causal:
        s = s.masked_fill(cols[None, :] > rows[:, None], float("-inf"))
    return torch.exp(s - lse[..., None])


@torch.no_grad()
def flash_backward(query, key, value, output, lse, grad_output, block_size, causal=False):
    n = query.shape[2]
    scale = query.shape[3] ** -0.5
    bq = min(Q_TILE, n)
    idx = torch.arange(n, device=query.device)
    D = torch.einsum("bhie,bhie->bhi", output, grad_output)

    dq = torch.zeros_like(query)
    dk = torch.zeros_like(key)
    dv = torch.zeros_like(value)
    for i0 in range(0, n, bq):
        i1 = min(i0 + bq, n)
        q, do = query[:, :, i0:i1], grad_output[:, :, i0:i1]
        for j0 in range(0, n, block_size):
            j1 = min(j0 + block_size, n)
            # tiles ahead of all of these queries
            if causal and j1 > i1:
                break
            k, v = key[:, :, j0:j1], value[:, :, j0:j1]
            p = _tile_probs(q, k, lse[:, :, i0:i1], scale, idx[i0:i1], idx[j0:j1], causal)
            dv[:, :, j0:j1] += torch.einsum("bhij,bhie->bhje", p, do)
            dp = torch.einsum("bhie,bhje->bhij", do, v)
            ds = p * (dp - D[:, :, i0:i1, None])
            dq[:, :, i0:i1] += scale * torch.einsum("bhij,bhjd->bhid", ds, k)
            dk[:, :, j0:j1] += scale * torch.einsum("bhij,bhid->bhjd", ds, q)
    return dq, dk, dv
