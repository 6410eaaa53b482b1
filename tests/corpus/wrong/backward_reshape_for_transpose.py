# wrong: backward weights-not-transposed line 13
import torch


def attention_backward(query, key, value, grad_output, causal=False):
    b, h, n, d = query.shape
    m = key.shape[2]
    s = torch.matmul(query, key.transpose(2, 3)) / d ** 0.5
    if causal:
        s = s.masked_fill(torch.ones(n, m, dtype=torch.bool, device=s.device).triu(m - n + 1), float("-inf"))
    p = torch.softmax(s, 3)

    gv = torch.matmul(p.reshape(b, h, m, n), grad_output)
    gp = torch.matmul(grad_output, value.transpose(2, 3))
    gs = p * (gp - (p * gp).sum(3, keepdim=True)) / d ** 0.5
    gq = torch.matmul(gs, key)
    gk = torch.matmul(gs.transpose(2, 3), query)
    return gq, gk, gv
