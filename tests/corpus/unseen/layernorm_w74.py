import torch

def layer_norm(x, weight, bias, eps=1e-5):
    f = x.float() if x.dtype in (torch.float16, torch.bfloat16) else x
    m = f.mean(-1, keepdim=True)
    v = ((f - m) ** 2).mean(-1, keepdim=True)
    return ((f - m) / (v + eps).sqrt() * weight + bias).type_as(x)

def layer_norm_backward(grad_output, x, weight, eps=1e-5):
    f = x.float() if x.dtype in (torch.float16, torch.bfloat16) else x
    g = grad_output.type_as(f)
    m = f.mean(-1, keepdim=True)
    v = (f * f).mean(-1, keepdim=True) - m * m
    r = (v + eps).rsqrt()
    h = (f - m) * r
    gh = g * weight
    gx = r * (gh - gh.mean(-1, keepdim=True) - h * (gh * h).mean(-1, keepdim=True))
    gw = (g * h).sum((0, 1))
    gb = g.sum((0, 1))
    return gx.type_as(x), gw.type_as(x), gb.type_as(x)
