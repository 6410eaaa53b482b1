import torch


@torch.no_grad()
def flash_backward(query, key, value, output, lse, grad_output, block_size, causal=False):
    length, head_dim = query.shape[-2:]
    scale = head_dim ** -0.5

    dq = torch.zeros_like(query)
    dk = torch.empty_like(key)
    dv = torch.empty_like(value)
    delta = torch.linalg.vecdot(grad_output, output).unsqueeze(-1)
    rows = torch.arange(length, device=query.device).unsqueeze(-1)

    for cols in rows.squeeze(-1).split(block_size):
        tile = slice(int(cols[0]), int(cols[-1]) + 1)
        k, v = key[:, :, tile], value[:, :, tile]

        scores = query @ k.mT * scale
        probs = torch.exp(scores - lse.unsqueeze(-1))
        weights = probs.masked_fill(cols > rows, 0) if causal else probs

        dv[:, :, tile] = weights.mT @ grad_output
        dprobs = grad_output @ v.mT
        dscores = probs * (dprobs - delta) * scale
        dq += dscores @ k
        dk[:, :, tile] = dscores.mT @ query

    return dq, dk, dv
