import torch


def flash_backward(query, key, value, output, lse, grad_output, block_size, causal=False):
    d = query.shape[-1]
    position = torch.arange(query.shape[-2], device=query.device)
    D = torch.sum(grad_output * output, dim=-1)
    grad_q, grad_k, grad_v = 0, [], []
    key_blocks = key.split(block_size, dim=-2)
    value_blocks = value.split(block_size, dim=-2)
    for places, K, V in zip(position.split(block_size), key_blocks, value_blocks):
        S = query @ K.transpose(-2, -1) / d**0.5
        if causal:
            S = S.masked_fill(places > position.unsqueeze(1), float("-inf"))
        P = (S - lse.unsqueeze(-1)).exp()
        dP = grad_output @ V.transpose(-2, -1)
        dS = P * (dP - D.unsqueeze(-1))
        dS = dS / d**0.5
        grad_v.append(P.transpose(-2, -1) @ grad_output)
        grad_k.append(dS.transpose(-2, -1) @ query)
        grad_q = grad_q + dS @ K
    return grad_q, torch.cat(grad_k, dim=-2), torch.cat(grad_v, dim=-2)
