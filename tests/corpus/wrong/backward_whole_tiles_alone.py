# wrong: backward last-block-dropped line 19
import torch

TILE = 100


def attention_backward(query, key, value, grad_output, causal=False):
    rows, columns = query.shape[2], key.shape[2]
    scale = query.shape[3] ** -0.5
    scores = query @ key.mT * scale
    if causal:
        later = torch.ones(rows, columns, dtype=torch.bool, device=key.device)
        scores = scores.masked_fill(later.triu(columns - rows + 1), float("-inf"))
    weights = scores.softmax(-1)
    inner = (grad_output * (weights @ value)).sum(-1, keepdim=True)
    grad_query = torch.zeros_like(query)
    grad_key, grad_value = torch.zeros_like(key), torch.zeros_like(value)
    tile = min(TILE, columns)
    for start in range(0, columns - tile + 1, tile):
        here = slice(start, start + tile)
        part = weights[..., here]
        grad_value[:, :, here] = part.mT @ grad_output
        steps = part * (grad_output @ value[:, :, here].mT - inner) * scale
        grad_key[:, :, here] = steps.mT @ query
        grad_query = grad_query + steps @ key[:, :, here]
    return grad_query, grad_key, grad_value
