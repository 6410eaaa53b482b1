import torch
from torch import Tensor, einsum


def _weights(q: Tensor, k: Tensor, causal: bool) -> Tensor:
    t, s = q.shape[-2], k.shape[-2]
    logits = einsum("bhtd,bhsd->bhts", q, k).div(q.shape[-1] ** 0.5)
    if causal:
        reachable = torch.ones((t, s), dtype=torch.bool, device=q.device).tril(s - t)
        logits = logits.where(reachable, torch.finfo(logits.dtype).min)
    return logits.softmax(-1)


def attention_backward(query: Tensor, key: Tensor, value: Tensor, grad_output: Tensor, causal: bool = False):
    kind = torch.promote_types(query.dtype, torch.float32)
    q, k, v, g = [x.type(kind) for x in (query, key, value, grad_output)]
    w = _weights(q, k, causal)
    out = einsum("bhts,bhsv->bhtv", w, v)

    # sum_s w * dw equals g . out, one number a row
    row = einsum("bhtv,bhtv->bt", g, out)
    dw = einsum("bhtv,bhsv->bhts", g, v)
    dlogits = w * (dw - row[:, None, :, None])
    dlogits = dlogits / q.shape[-1] ** 0.5

    grad_query = einsum("bhts,bhsd->bhtd", dlogits, k)
    grad_key = einsum("bhts,bhtd->bhsd", dlogits, q)
    grad_value = einsum("bhts,bhtv->bhsv", w, g)
    return grad_query.type_as(query), grad_key.type_as(key), grad_value.type_as(value)
