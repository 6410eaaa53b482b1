import torch

# port of llm.c's layernorm.py / layernorm.c to whole tensors

def _up(*ts):
    return [t if t.dtype == torch.float64 else t.float() for t in ts]

def layer_norm(x, weight, bias, eps=1e-5):
    dtype = x.dtype
    x, w, b = _up(x, weight, bias)
    B, T, C = x.size()
    mean = x.sum(-1, keepdim=True) / C # B,T,1
    xshift = x - mean # B,T,C
    var = (xshift**2).sum(-1, keepdim=True) / C # B,T,1
    rstd = (var + eps) ** -0.5 # B,T,1
    norm = xshift * rstd # B,T,C
    out = norm * w + b # B,T,C
    return out.to(dtype)

def layer_norm_backward(grad_output, x, weight, eps=1e-5):
    dtype = x.dtype
    dout, x, w = _up(grad_output, x, weight)
    B, T, C = x.size()
    # recompute what the forward pass had
    mean = x.sum(-1, keepdim=True) / C
    xshift = x - mean
    rstd = ((xshift**2).sum(-1, keepdim=True) / C + eps) ** -0.5
    norm = xshift * rstd
    # gradients of the parameters
    db = dout.sum((0, 1)) # C
    dw = (dout * norm).sum((0, 1)) # C
    # gradient of the input
    dnorm = dout * w # B,T,C
    dx = dnorm - dnorm.mean(-1, keepdim=True) - norm * (dnorm * norm).mean(-1, keepdim=True)
    dx *= rstd
    return dx.to(dtype), dw.to(dtype), db.to(dtype)
