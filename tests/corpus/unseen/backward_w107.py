from functools import partial

import torch

ein = torch.einsum


def _probs(q, k, causal):
    logits = ein("nhid,nhjd->nhij", q, k) / q.shape[-1] ** 0.5
    if causal:
        i = torch.arange(q.shape[2], device=q.device) + k.shape[2] - q.shape[2]
        j = torch.arange(k.shape[2], device=q.device)
        logits = torch.where(j[None, :] <= i[:, None], logits, -torch.inf)
    return torch.softmax(logits, dim=-1)


def _softmax_vjp(p, g):
    # p * (g - <p, g>)
    inner = ein("nhij,nhij->nhj", p, g)
    return p * (g - inner.unsqueeze(-2))


def attention_backward(query, key, value, grad_output, causal=False):
    p = _probs(query, key, causal)
    vjp = partial(_softmax_vjp, p)
    dlogits = vjp(ein("nhie,nhje->nhij", grad_output, value)) / query.shape[-1] ** 0.5
    return (
        ein("nhij,nhjd->nhid", dlogits, key),
        ein("nhij,nhid->nhjd", dlogits, query),
        ein("nhij,nhie->nhje", p, grad_output),
    )
