# wrong: layernorm grad-variance-unscaled line 26
# after llm.c's layernorm_forward and layernorm_backward, vectorised
import torch


class LayerNorm:
    @staticmethod
    def forward(x, w, b, eps):
        B, T, C = x.size()
        mean = x.sum(-1, keepdim=True) / C  # B,T,1
        xshift = x - mean  # B,T,C
        var = (xshift**2).sum(-1, keepdim=True) / C  # B,T,1
        rstd = (var + eps) ** -0.5  # B,T,1
        norm = xshift * rstd  # B,T,C
        out = norm * w + b  # B,T,C
        cache = (x, w, mean, rstd)
        return out, cache

    @staticmethod
    def backward(dout, cache):
        x, w, mean, rstd = cache
        norm = (x - mean) * rstd
        db = dout.sum((0, 1))
        dw = (dout * norm).sum((0, 1))
        dnorm = dout * w
        dx = dnorm - dnorm.mean(-1, keepdim=True) - norm * (dnorm * (x - mean)).mean(-1, keepdim=True)
        dx *= rstd
        return dx, dw, db


def layer_norm(x, weight, bias, eps=1e-5):
    return LayerNorm.forward(x, weight, bias, eps)[0]


def layer_norm_backward(grad_output, x, weight, eps=1e-5):
    _, cache = LayerNorm.forward(x, weight, torch.zeros_like(weight), eps)
    return LayerNorm.backward(grad_output, cache)
