import torch
from math import sqrt

def attention_backward(query, key, value, grad_output, causal=False):
    """
    scores = q k^T / sqrt(d)        ds
    attn   = softmax(scores)        dattn
    out    = attn v                 dout
    walk it from the bottom up
    """
    orig = query.dtype
    up = torch.float64 if orig == torch.float64 else torch.float32
    q, k, v, dout = query.to(up), key.to(up), value.to(up), grad_output.to(up)
    d = q.size(-1)

    # forward again
    scores = q.matmul(k.transpose(-1, -2)) / sqrt(d)
    if causal:
        Tq, Tk = scores.shape[-2:]
        mask = torch.triu(torch.ones(Tq, Tk, device=q.device), diagonal=Tk - Tq + 1).bool()
        scores = scores.masked_fill(mask, float('-inf'))
    attn = scores.softmax(dim=-1)

    # out = attn v
    dv = attn.transpose(-1, -2).matmul(dout)
    dattn = dout.matmul(v.transpose(-1, -2))

    # softmax
    ds = attn * dattn
    ds = ds - ds.sum(dim=-1, keepdim=True)

    # scores = q k^T / sqrt(d)
    dq = ds.matmul(k) / sqrt(d)
    dk = ds.transpose(-1, -2).matmul(q) / sqrt(d)
    return dq.to(orig), dk.to(orig), dv.to(orig)
