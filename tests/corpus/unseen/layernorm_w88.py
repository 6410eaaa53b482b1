import torch


def _moments(x, eps):
    mu = torch.mean(x, dim=-1, keepdim=True)
    sigma = torch.sqrt(torch.mean((x - mu) ** 2, dim=-1, keepdim=True) + eps)
    return mu, sigma


def layer_norm(x, weight, bias, eps=1e-5):
    mu, sigma = _moments(x, eps)
    return (x - mu) / sigma * weight + bias


def layer_norm_backward(grad_output, x, weight, eps=1e-5):
    # cs231n-Notizen
    mu, sigma = _moments(x, eps)
    xn = (x - mu) / sigma
    dbeta = grad_output.sum(dim=(0, 1))
    dgamma = (grad_output * xn).sum(dim=0)
    dxn = grad_output * weight
    D = x.shape[-1]
    dx = (D * dxn - dxn.sum(-1, keepdim=True) - xn * (dxn * xn).sum(-1, keepdim=True)) / (D * sigma)
    return dx, dgamma, dbeta
