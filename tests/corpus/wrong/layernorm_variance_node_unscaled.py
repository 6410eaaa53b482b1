# wrong: layernorm grad-variance-unscaled line 29
"""Every node of the graph gets its gradient, one after another."""


def layer_norm(x, gamma, beta, eps=1e-5):
    m = x.sum(dim=2, keepdim=True) / x.shape[2]
    d = x - m
    v = (d * d).sum(dim=2, keepdim=True) / x.shape[2]
    r = (v + eps) ** -0.5
    return gamma * (d * r) + beta


def layer_norm_backward(dout, x, gamma, eps=1e-5):
    D = x.shape[2]
    # forward once more
    m = x.sum(dim=2, keepdim=True) / D
    d = x - m
    v = (d * d).sum(dim=2, keepdim=True) / D
    s = (v + eps) ** 0.5
    r = 1.0 / s
    n = d * r
    # backward, from the last node to the first
    dbeta = dout.sum(0).sum(0)
    dgamma = (dout * n).sum(0).sum(0)
    dn = dout * gamma
    dr = (dn * d).sum(dim=2, keepdim=True)
    dd = dn * r
    ds = -dr / s**2
    dv = 0.5 * ds
    dd = dd + 2 * d * dv / D
    dm = -dd.sum(dim=2, keepdim=True)
    dx = dd + dm / D
    return dx, dgamma, dbeta
