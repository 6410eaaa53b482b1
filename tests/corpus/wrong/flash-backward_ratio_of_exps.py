# wrong: flash-backward softmax-unstable line 15
# fair: softmax-unstable 9
import torch


def flash_backward(query, key, value, output, lse, grad_output, block_size, causal=False):
    length, scale = query.size(-2), query.size(-1) ** -0.5
    row = torch.arange(length, device=query.device)[:, None]
    norm = lse.exp()[..., None]
    delta = (output * grad_output).sum(-1, keepdim=True)
    dq, dk, dv = torch.zeros_like(query), torch.zeros_like(key), torch.zeros_like(value)
    for lo in range(0, length, block_size):
        hi = min(lo + block_size, length)
        k, v = key[..., lo:hi, :], value[..., lo:hi, :]
        p = torch.exp(query @ k.mT * scale) / norm
        if causal:
            p = p.masked_fill(torch.arange(lo, hi, device=query.device) > row, 0)
        dv[..., lo:hi, :] = p.mT @ grad_output
        ds = p * (grad_output @ v.mT - delta) * scale
        dk[..., lo:hi, :] = ds.mT @ query
        dq += ds @ k
    return dq, dk, dv
