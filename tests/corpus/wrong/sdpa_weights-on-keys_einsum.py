# wrong: sdpa weights-on-keys line 9
import torch
def attention(query, key, value, mask=None, causal=False):
    a = torch.einsum("...qd,...kd->...qk", query, key).div_(query.shape[-1] ** 0.5)
    if mask is not None:
        a = a.masked_fill(mask == 0, -torch.inf)
    if causal:
        a = a.masked_fill(torch.ones(a.shape[-2:], device=a.device).triu(a.shape[-1] - a.shape[-2] + 1) > 0, -torch.inf)
    return torch.einsum("...qk,...kd->...qd", a.softmax(-1), key)
