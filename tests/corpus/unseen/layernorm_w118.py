import torch

E = lambda t: t.mean(dim=-1, keepdim=True)
wide = lambda t: t.to(torch.promote_types(t.dtype, torch.float32))


def layer_norm(x, weight, bias, eps=1e-5):
    X = wide(x)
    C = X - E(X)
    r = (E(C * C) + eps).rsqrt()
    return (C * r * wide(weight) + wide(bias)).to(x.dtype)


def layer_norm_backward(grad_output, x, weight, eps=1e-5):
    X, G, gamma = wide(x), wide(grad_output), wide(weight)
    C = X - E(X)
    r = (E(C * C) + eps).rsqrt()

    d_gamma = (G * C * r).sum(dim=(0, 1))
    d_beta = G.sum(dim=(0, 1))

    # y = C r:  direct path, path through the mean, path through the variance
    A = G * gamma
    direct = A
    via_mean = E(A)
    via_var = C * r * E(A * C)
    d_x = r * (direct - via_mean - via_var)

    return d_x.to(x.dtype), d_gamma.to(x.dtype), d_beta.to(x.dtype)
