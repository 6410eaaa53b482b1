# wrong: layernorm norm-wrong-axis line 6
# fair: norm-wrong-axis 7
def layer_norm(x, weight, bias, eps=1e-5):
    b, t, d = x.shape
    flat = x.reshape(b, t * d)
    mean = flat.mean(dim=1)[:, None, None]
    var = flat.var(dim=1, unbiased=False)[:, None, None]
    return (x - mean) / (var + eps).sqrt() * weight + bias


def layer_norm_backward(grad_output, x, weight, eps=1e-5):
    mean = x.mean(dim=2, keepdim=True)
    rstd = (x.var(dim=2, unbiased=False, keepdim=True) + eps).rsqrt()
    norm = (x - mean) * rstd
    gw = grad_output * weight
    return (
        rstd * (gw - gw.mean(dim=2, keepdim=True) - norm * (gw * norm).mean(dim=2, keepdim=True)),
        (grad_output * norm).sum(dim=(0, 1)),
        grad_output.sum(dim=(0, 1)),
    )
