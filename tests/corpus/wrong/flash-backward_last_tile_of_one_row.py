# wrong: flash-backward causal-stops-early line 18
import torch


def flash_backward(query, key, value, output, lse, grad_output, block_size, causal=False):
    n, d = query.shape[2:]
    c = d**-0.5
    D = (grad_output * output).sum(-1)
    dq = torch.zeros_like(query)
    dk = torch.zeros_like(key)
    dv = torch.zeros_like(value)
    place = torch.arange(n, device=query.device)
    starts = range(0, n, block_size)
    for i in starts:
        r = place[i : i + block_size]
        Q, G = query[:, :, r], grad_output[:, :, r]
        for j in starts:
            if causal and j >= int(r[-1]):
                continue
            t = place[j : j + block_size]
            S = Q @ key[:, :, t].mT * c
            if causal:
                S = S.masked_fill(t > r[:, None], float("-inf"))
            P = (S - lse[:, :, r, None]).exp()
            dS = P * (G @ value[:, :, t].mT - D[:, :, r, None]) * c
            dv[:, :, t] += P.mT @ G
            dk[:, :, t] += dS.mT @ Q
            dq[:, :, r] += dS @ key[:, :, t]
    return dq, dk, dv
