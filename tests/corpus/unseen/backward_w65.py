# attn-kata: backward
import torch


@torch.no_grad()
def attention_backward(query, key, value, grad_output, causal=False):
    *_, nq, d = grad_output.shape
    nk = key.shape[-2]
    s = query @ key.transpose(-1, -2) / d ** 0.5
    if causal:
        s = s + torch.full((nq, nk), float("-inf"), dtype=s.dtype, device=s.device).triu(1 + nk - nq)
    p = s.softmax(-1)
    dp = grad_output @ value.transpose(-1, -2)
    ds = p * (dp - (p * dp).sum(-1, keepdim=True)) / d ** 0.5
    return ds @ key, ds.transpose(-1, -2) @ query, p.transpose(-1, -2) @ grad_output
