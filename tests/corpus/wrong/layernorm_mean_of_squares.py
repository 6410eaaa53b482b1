# wrong: layernorm variance-cancels line 5
# fair: variance-cancels 5, 11
def layer_norm(x, w, b, eps=1e-5):
    mean = x.mean(dim=-1)
    var = (x**2).mean(dim=-1) - mean**2
    return (x - mean[..., None]) * (var[..., None] + eps).rsqrt() * w + b


def layer_norm_backward(dy, x, w, eps=1e-5):
    mean = x.mean(dim=-1)
    var = (x**2).mean(dim=-1) - mean**2
    rstd = (var + eps).rsqrt()
    xhat = (x - mean[..., None]) * rstd[..., None]
    wdy = w * dy
    # dx = a·x̂ + b·wdy + c, with the row's own a, b, c
    a = -rstd * (wdy * xhat).mean(dim=-1)
    c = -rstd * wdy.mean(dim=-1)
    dx = a[..., None] * xhat + rstd[..., None] * wdy + c[..., None]
    return dx, (dy * xhat).sum(dim=(0, 1)), dy.sum(dim=(0, 1))
