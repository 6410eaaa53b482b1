# wrong: backward causal-from-start line 10
# fair: causal-from-start 10, 11
import torch


def attention_backward(query, key, value, grad_output, causal=False):
    f = 1 / query.shape[-1] ** 0.5
    s = query.matmul(key.mT).mul(f)
    if causal:
        tri = torch.tril(torch.ones(query.shape[2], key.shape[2], device=s.device, dtype=torch.bool))
        s = s.masked_fill(tri.logical_not(), float("-inf"))
    a = s.softmax(-1)
    ga = grad_output.matmul(value.mT)
    gs = (ga - ga.mul(a).sum(-1, keepdim=True)).mul(a).mul(f)
    return gs.matmul(key), gs.mT.matmul(query), a.mT.matmul(grad_output)
