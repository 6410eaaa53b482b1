# wrong: backward causal-missing line 13
import torch
from torch import Tensor


def attention_backward(q: Tensor, k: Tensor, v: Tensor, do: Tensor, causal: bool = False) -> tuple[Tensor, Tensor, Tensor]:
    # recompute forward
    d = q.size(-1)
    s = torch.einsum("bhid,bhjd->bhij", q, k) / d**0.5
    if causal:
        i = torch.arange(q.size(2), device=q.device).unsqueeze(1) + k.size(2) - q.size(2)
        j = torch.arange(k.size(2), device=q.device)
        s.masked_fill(j > i, -torch.inf)
    lse = torch.logsumexp(s, dim=-1, keepdim=True)
    p = (s - lse).exp()
    o = torch.einsum("bhij,bhjd->bhid", p, v)
    # D = rowsum(dO * O), FlashAttention-2
    delta = (do * o).sum(-1, keepdim=True)
    dv = torch.einsum("bhij,bhid->bhjd", p, do)
    dp = torch.einsum("bhid,bhjd->bhij", do, v)
    ds = p * (dp - delta) / d**0.5
    dq = torch.einsum("bhij,bhjd->bhid", ds, k)
    dk = torch.einsum("bhij,bhid->bhjd", ds, q)
    return dq, dk, dv
