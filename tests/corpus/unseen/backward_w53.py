import torch
from torch import Tensor


def _weights(query: Tensor, key: Tensor, causal: bool) -> Tensor:
    scores = torch.matmul(query, key.transpose(2, 3)).div(query.shape[3] ** 0.5)
    # keep exp from overflowing
    scores = scores - scores.max()
    if causal:
        nq, nk = scores.shape[2], scores.shape[3]
        i = torch.arange(nq, device=query.device).reshape(nq, 1) + (nk - nq)
        j = torch.arange(nk, device=query.device).reshape(1, nk)
        scores = scores.masked_fill(j > i, float("-inf"))
    e = scores.exp()
    return e / e.sum(dim=-1, keepdim=True)


def attention_backward(query: Tensor, key: Tensor, value: Tensor, grad_output: Tensor,
                       causal: bool = False):
    p = _weights(query, key, causal)
    dv = torch.matmul(p.transpose(2, 3), grad_output)
    dp = torch.matmul(grad_output, value.transpose(2, 3))
    ds = p * dp
    ds = ds - p * ds.sum(dim=-1, keepdim=True)
    ds = ds.div(query.shape[3] ** 0.5)
    return torch.matmul(ds, key), torch.matmul(ds.transpose(2, 3), query), dv
