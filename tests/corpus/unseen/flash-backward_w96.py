import torch


def flash_backward(query, key, value, output, lse, grad_output, block_size, causal=False):
    scale = query.shape[-1] ** -0.5
    n = query.shape[2]
    delta = (value * grad_output).sum(-1, keepdim=True)
    dq = torch.zeros_like(query)
    dk, dv = [], []
    pos = torch.arange(n, device=query.device)
    for start in range(0, n, block_size):
        k = key[:, :, start:start + block_size]
        v = value[:, :, start:start + block_size]
        s = query @ k.mT * scale - lse[..., None]
        if causal:
            s = s.masked_fill(pos[start:start + block_size] > pos[:, None], float("-inf"))
        p = s.exp()
        dv.append(p.mT @ grad_output)
        ds = p * (grad_output @ v.mT - delta) * scale
        dq = dq + ds @ k
        dk.append(ds.mT @ query)
    return dq, torch.cat(dk, 2), torch.cat(dv, 2)
