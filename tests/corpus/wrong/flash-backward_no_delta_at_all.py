# wrong: flash-backward row-sum-missing line 20
import torch


@torch.no_grad()
def flash_backward(query, key, value, output, lse, grad_output, block_size, causal=False):
    n, d = query.shape[-2:]
    q = query / d**0.5
    grad_query = torch.zeros_like(query)
    keys, values = [], []
    place = torch.arange(n, device=query.device)
    for part in place.split(block_size):
        k, v = key[..., part, :], value[..., part, :]
        weights = torch.exp(q @ k.mT - lse[..., None])
        if causal:
            weights = weights * (part[None] <= place[:, None])
        values.append(weights.mT @ grad_output)
        # back through the softmax
        grad_weights = grad_output @ v.mT
        grad_scores = grad_weights * weights
        grad_query += grad_scores @ k / d**0.5
        keys.append(grad_scores.mT @ q)
    return grad_query, torch.cat(keys, -2), torch.cat(values, -2)
