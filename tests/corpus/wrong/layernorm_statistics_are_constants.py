# wrong: layernorm grad-statistics-constant line 19
import torch


def layer_norm(x, gamma, beta, eps=1e-5):
    mu = torch.mean(x, dim=-1, keepdim=True)
    sigma2 = torch.mean((x - mu) ** 2, dim=-1, keepdim=True)
    return gamma * (x - mu) / torch.sqrt(sigma2 + eps) + beta


def layer_norm_backward(dout, x, gamma, eps=1e-5):
    mu = torch.mean(x, dim=-1, keepdim=True)
    sigma2 = torch.mean((x - mu) ** 2, dim=-1, keepdim=True)
    xhat = (x - mu) / torch.sqrt(sigma2 + eps)

    dbeta = dout.sum(dim=(0, 1))
    dgamma = (dout * xhat).sum(dim=(0, 1))
    # chain rule: y = gamma * xhat + beta, xhat = (x - mu) / sigma
    dx = dout * gamma / torch.sqrt(sigma2 + eps)
    return dx, dgamma, dbeta
