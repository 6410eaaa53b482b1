# 层归一化：前向与手写反向（按计算图一步一步往回推）
import torch


def widen(*ts):
    """半精度先升到 float32，float64 保持不变"""
    return [t.to(torch.promote_types(t.dtype, torch.float32)) for t in ts]


def layer_norm(x, weight, bias, eps=1e-5):
    dtype = x.dtype
    x, weight, bias = widen(x, weight, bias)
    mu = x.mean(dim=-1, keepdim=True)
    xmu = x - mu
    var = torch.linalg.vecdot(xmu, xmu).unsqueeze(-1) / x.size(-1)
    return (weight * (xmu / torch.sqrt(var + eps)) + bias).to(dtype)


def layer_norm_backward(grad_output, x, weight, eps=1e-5):
    dtype, d = x.dtype, x.size(-1)
    grad_output, x, weight = widen(grad_output, x, weight)
    # 重算前向的中间量
    mu = x.mean(-1, keepdim=True)
    xmu = x - mu
    sq = xmu ** 2
    var = sq.mean(-1, keepdim=True)
    sqrtvar = (var + eps).sqrt()
    ivar = 1.0 / sqrtvar
    xhat = xmu * ivar

    # 第 9、8 步：out = weight * xhat + bias
    dbias = torch.einsum("bld->d", grad_output)
    dweight = torch.einsum("bld,bld->d", grad_output, xhat)
    dxhat = grad_output * weight
    # 第 7 步：xhat = xmu * ivar
    divar = (dxhat * xmu).sum(-1, keepdim=True)
    dxmu1 = dxhat * ivar
    # 第 6、5 步：ivar = 1 / sqrt(var + eps)
    dsqrtvar = -divar * ivar * ivar
    dvar = 0.5 * dsqrtvar / sqrtvar
    # 第 4、3 步：var = mean(xmu ** 2)
    dxmu2 = 2 * xmu * (dvar / d)
    # 第 2、1 步：xmu = x - mu
    dx1 = dxmu1 + dxmu2
    dmu = -dx1.sum(-1, keepdim=True)
    dx = dx1 + dmu / d
    return dx.to(dtype), dweight.to(dtype), dbias.to(dtype)
