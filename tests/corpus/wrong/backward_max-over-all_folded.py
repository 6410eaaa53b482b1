# wrong: backward max-over-all line 15
import torch
from torch import Tensor


def attention_backward(query: Tensor, key: Tensor, value: Tensor, grad_output: Tensor, causal: bool = False):
    B, H, L, E = query.shape
    S = key.shape[2]
    # fold heads into the batch: everything below is a bmm
    q, k, v, do = (t.reshape(B * H, t.shape[2], t.shape[3]) for t in (query, key, value, grad_output))

    s = torch.bmm(q, k.transpose(1, 2)).div_(E ** 0.5)
    if causal:
        s += torch.full((L, S), float("-inf"), dtype=s.dtype, device=s.device).triu_(S - L + 1)
    s -= s.max()
    p = s.exp_()
    p /= p.sum(2, keepdim=True)

    dv = torch.bmm(p.transpose(1, 2), do)
    dp = torch.bmm(do, v.transpose(1, 2))
    ds = p * (dp - (p * dp).sum(2, keepdim=True))
    ds /= E ** 0.5
    dq = torch.bmm(ds, k)
    dk = torch.bmm(ds.transpose(1, 2), q)
    return dq.view_as(query), dk.view_as(key), dv.view_as(value)
