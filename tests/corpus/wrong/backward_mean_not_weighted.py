# wrong: backward row-sum-unweighted line 15
# fair: row-sum-unweighted 15, 16
import math, torch


def attention_backward(q, k, v, dout, causal=False):
    s = (q @ k.transpose(-1, -2)) / math.sqrt(q.shape[-1])
    if causal:
        t = torch.ones(q.shape[-2], k.shape[-2], device=q.device)
        s = s.masked_fill(torch.tril(t, k.shape[-2] - q.shape[-2]) == 0, -1e30 if s.dtype != torch.float16 else -6e4)
    p = s.softmax(-1)
    dv = p.transpose(-1, -2) @ dout
    dp = dout @ v.transpose(-1, -2)
    # centre the gradient
    m = dp.mean(-1, keepdim=True)
    ds = p * (dp - m) / math.sqrt(q.shape[-1])
    return ds @ k, ds.transpose(-1, -2) @ q, dv
