# right: layernorm
import torch


def layer_norm(x, weight, bias, eps=1e-5):
    out = torch.empty_like(x)
    rows = []
    for sample in x:
        for token in sample:
            centred = token - token.mean()
            rows.append(centred / (centred.dot(centred) / token.numel() + eps).sqrt() * weight + bias)
    return torch.stack(rows).reshape(out.shape)


def layer_norm_backward(grad_output, x, weight, eps=1e-5):
    d = x.shape[-1]
    identity = torch.eye(d, dtype=x.dtype, device=x.device)
    centring = identity - 1 / d
    grad_x = torch.zeros_like(x)
    grad_weight = torch.zeros_like(weight)
    grad_bias = torch.zeros_like(weight)
    for b in range(x.shape[0]):
        for t in range(x.shape[1]):
            c = centring @ x[b, t]
            sigma = (c.dot(c) / d + eps).sqrt()
            z = c / sigma
            jacobian = (centring - torch.outer(z, z) / d) / sigma
            g = grad_output[b, t]
            grad_x[b, t] = jacobian.T @ (weight * g)
            grad_weight += g * z
            grad_bias += g
    return grad_x, grad_weight, grad_bias
