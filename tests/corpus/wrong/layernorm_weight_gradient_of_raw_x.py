# wrong: layernorm grad-weight-from-input line 12
def layer_norm(x, weight, bias, eps=1e-5):
    var, mean = x.var(-1, correction=0, keepdim=True), x.mean(-1, keepdim=True)
    return (x - mean) * (var + eps).rsqrt() * weight + bias


def layer_norm_backward(grad_output, x, weight, eps=1e-5):
    var, mean = x.var(-1, correction=0, keepdim=True), x.mean(-1, keepdim=True)
    rstd = (var + eps).rsqrt()
    z = (x - mean) * rstd
    flat = grad_output.flatten(0, 1)
    dweight = (flat * x.flatten(0, 1)).sum(0)
    dbias = flat.sum(0)
    dz = grad_output * weight
    N = x.shape[-1]
    dx = rstd / N * (N * dz - dz.sum(-1, keepdim=True) - z * (dz * z).sum(-1, keepdim=True))
    return dx, dweight, dbias
