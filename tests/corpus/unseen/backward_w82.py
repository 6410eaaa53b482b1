import torch


def _weights(scores, hidden):
    """Softmax over the keys, shifted so that exp stays small."""
    if hidden is not None:
        scores = scores.masked_fill(hidden, float("-inf"))
    shifted = scores - scores.max()
    e = shifted.exp()
    return e / e.sum(dim=-1, keepdim=True)


@torch.no_grad()
def attention_backward(query, key, value, grad_output, causal=False):
    d = query.shape[-1]
    n, m = query.shape[-2], key.shape[-2]
    hidden = None
    if causal:
        hidden = torch.ones(n, m, dtype=torch.bool, device=query.device).triu(m - n + 1)
    p = _weights(torch.einsum("bhnd,bhmd->bhnm", query, key) / d ** 0.5, hidden)

    out = torch.einsum("bhnm,bhmv->bhnv", p, value)
    delta = (out * grad_output).sum(-1, keepdim=True)
    d_scores = p * (torch.einsum("bhnv,bhmv->bhnm", grad_output, value) - delta) / d ** 0.5

    return (
        torch.einsum("bhnm,bhmd->bhnd", d_scores, key),
        torch.einsum("bhnm,bhnd->bhmd", d_scores, query),
        torch.einsum("bhnm,bhnv->bhmv", p, grad_output),
    )
