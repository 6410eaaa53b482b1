import torch


def _normalise(x, eps):
    mu = x.mean(dim=-1, keepdim=True)
    xc = x - mu
    sigma = torch.sqrt(torch.einsum("bth,bth->bt", xc, xc) / x.shape[-1] + eps)[..., None]
    return xc / sigma, sigma


def layer_norm(x, weight, bias, eps=1e-5):
    xhat, _ = _normalise(x, eps)
    return torch.einsum("bth,h->bth", xhat, weight) + bias


@torch.no_grad()
def layer_norm_backward(grad_output, x, weight, eps=1e-5):
    xhat, sigma = _normalise(x, eps)
    grad_weight = torch.einsum("bth,bth->h", grad_output, xhat)
    grad_bias = torch.einsum("bth->h", grad_output)

    g = torch.einsum("bth,h->bth", grad_output, weight)
    along_mean = g.mean(dim=-1, keepdim=True)
    along_xhat = torch.einsum("bth,bth->bt", g, xhat)[..., None]
    grad_x = (g - along_mean - xhat * along_xhat) / sigma
    return grad_x, grad_weight, grad_bias
