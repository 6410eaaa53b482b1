import torch


def _upcast(t):
    return t.float() if t.dtype in (torch.float16, torch.bfloat16) else t


def layer_norm(hidden_states, weight, bias, eps=1e-5):
    dtype = hidden_states.dtype
    h = _upcast(hidden_states)
    h = h - h.mean(-1, keepdim=True)
    h = h * torch.rsqrt(h.pow(2).mean(-1, keepdim=True) + eps)
    return (_upcast(weight) * h + _upcast(bias)).to(dtype)


def layer_norm_backward(grad_output, hidden_states, weight, eps=1e-5):
    dtype = hidden_states.dtype
    g, h, w = map(_upcast, (grad_output, hidden_states, weight))
    h = h - h.mean(-1, keepdim=True)
    rstd = torch.rsqrt(h.pow(2).mean(-1, keepdim=True) + eps)
    h = h * rstd
    c1 = (h * (w * g)).mean(-1, keepdim=True)
    c2 = (w * g).mean(-1, keepdim=True)
    dx = (w * g - (h * c1 + c2)) * rstd
    dw = (g * h).flatten(0, 1).sum(0)
    db = g.flatten(0, 1).sum(0)
    return dx.to(dtype), dw.to(dtype), db.to(dtype)
