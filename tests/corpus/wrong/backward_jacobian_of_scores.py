# wrong: backward jacobian-with-scores line 14
import torch


def attention_backward(query, key, value, grad_output, causal=False):
    scale = query.shape[-1] ** -0.5
    scores = torch.einsum("bhqd,bhkd->bhqk", query, key) * scale
    if causal:
        keep = torch.ones_like(scores).tril(key.shape[2] - query.shape[2])
        scores = scores.masked_fill(keep == 0, -1e4)
    weights = scores.softmax(dim=-1)
    grad_weights = torch.einsum("bhqv,bhkv->bhqk", grad_output, value)
    total = torch.einsum("bhqk,bhqk->bhq", weights, grad_weights)
    grad_scores = scores * (grad_weights - total[..., None])
    grad_query = torch.einsum("bhqk,bhkd->bhqd", grad_scores, key) * scale
    grad_key = torch.einsum("bhqk,bhqd->bhkd", grad_scores, query) * scale
    grad_value = torch.einsum("bhqk,bhqv->bhkv", weights, grad_output)
    return grad_query, grad_key, grad_value
