# wrong: flash-backward grad-mask-in-part line 21
import torch


def flash_backward(query, key, value, output, lse, grad_output, block_size, causal=False):
    n, d = query.shape[2:]
    c = d**-0.5
    D = (grad_output * output).sum(-1, keepdim=True)
    dq = torch.zeros_like(query)
    dk = torch.zeros_like(key)
    dv = torch.zeros_like(value)
    rows = torch.arange(n, device=query.device)[:, None]
    for j in range(0, n, block_size):
        cols = slice(j, min(j + block_size, n))
        K, V = key[:, :, cols], value[:, :, cols]
        S = query @ K.mT * c
        P = (S - lse[..., None]).exp()
        later = torch.arange(j, cols.stop, device=query.device) > rows
        seen = P.masked_fill(later, 0) if causal else P
        dS = seen * (grad_output @ V.mT - D) * c
        dv[:, :, cols] = P.mT @ grad_output
        dk[:, :, cols] = dS.mT @ query
        dq += dS @ K
    return dq, dk, dv
