import torch


def _stats(x):
    var, mu = torch.var_mean(x, dim=-1, keepdim=True, unbiased=False)
    return mu, var


def layer_norm(x, weight, bias, eps=1e-5):
    dtype = x.dtype
    if dtype != torch.float64:
        x = x.float()
    mu, var = _stats(x)
    return ((x - mu) * torch.rsqrt(var + eps)).to(dtype) * weight + bias


# CUDA-kernel style formula:  dx = rstd / N * (N * dy*w - sum(dy*w) - xhat * sum(dy*w*xhat))
def layer_norm_backward(grad_output, x, weight, eps=1e-5):
    dtype = x.dtype
    if dtype != torch.float64:
        x, grad_output, weight = x.float(), grad_output.float(), weight.float()
    N = x.shape[1]
    mu, var = _stats(x)
    rstd = torch.rsqrt(var + eps)
    xhat = (x - mu) * rstd
    wdy = weight * grad_output
    s1 = wdy.sum(dim=-1, keepdim=True)
    s2 = (wdy * xhat).sum(dim=-1, keepdim=True)
    dx = rstd / N * (N * wdy - s1 - xhat * s2)
    rows_g, rows_x = grad_output.reshape(-1, x.shape[-1]), xhat.reshape(-1, x.shape[-1])
    dw = torch.linalg.vecdot(rows_g, rows_x, dim=0)
    db = rows_g.sum(dim=0)
    return dx.to(dtype), dw.to(dtype), db.to(dtype)
