# right: backward
import torch


def attention_backward(q, k, v, do, causal=False):
    r = q.size(-1) ** -0.5
    s = torch.einsum("bhid,bhjd->bhij", q * r, k)
    if causal:
        i, j = (torch.arange(n, device=q.device) for n in s.shape[-2:])
        s = s.where(j <= i[:, None] + len(j) - len(i), -torch.inf)
    p = s.softmax(-1)
    dp = torch.einsum("bhie,bhje->bhij", do, v)
    ds = p * dp
    ds = ds - p * ds.sum(-1, True)
    return (
        torch.einsum("bhij,bhjd->bhid", ds, k) * r,
        torch.einsum("bhij,bhid->bhjd", ds, q) * r,
        torch.einsum("bhij,bhie->bhje", p, do),
    )
