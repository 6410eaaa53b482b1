import torch


def moments(a, eps):
    """mean and 1 / standard deviation of every position"""
    var, mu = torch.var_mean(a, dim=-1, keepdim=True)
    return mu, torch.rsqrt(var + eps)


def layer_norm(x, weight, bias, eps=1e-5):
    mu, r = moments(x, eps)
    return (x - mu) * r * weight + bias


def layer_norm_backward(grad_output, x, weight, eps=1e-5):
    mu, r = moments(x, eps)
    xhat = (x - mu) * r
    leading = tuple(range(x.ndim - 1))
    g_bias = grad_output.sum(leading)
    g_weight = (grad_output * xhat).sum(leading)

    g = grad_output * weight
    avg = lambda t: t.mean(-1, keepdim=True)  # noqa: E731
    g_x = r * (g - avg(g) - xhat * avg(g * xhat))
    return g_x, g_weight, g_bias
