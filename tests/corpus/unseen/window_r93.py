import torch


def window_attention(query, key, value, window):
    n, d = query.shape[-2:]
    ones = torch.ones(n, n, dtype=torch.bool, device=query.device)
    band = ones.tril() & ones.triu(1 - window)
    logits = torch.einsum("zhic,zhjc->zhij", query, key) / d ** 0.5
    p = logits.masked_fill(~band, -torch.inf).softmax(-1)
    return torch.einsum("zhij,zhjc->zhic", p, value)
