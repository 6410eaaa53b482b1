# LayerNorm 的前向和反向
import torch


@torch.no_grad()
def statistics(x, eps):
    """每个位置的均值和 1/标准差，形状 [b, l, 1]"""
    mean = torch.mean(x, dim=-1, keepdim=True)
    var = torch.var(x, dim=-1, keepdim=True, unbiased=False)
    return mean, 1.0 / torch.sqrt(var + eps)


def layer_norm(x, weight, bias, eps=1e-5):
    mean, inv = statistics(x, eps)
    return (x - mean) * inv * weight + bias


def layer_norm_backward(grad_output, x, weight, eps=1e-5):
    mean, inv = statistics(x, eps)
    xhat = (x - mean) * inv

    # 参数的梯度：对 batch 和 length 求和
    grad_bias = grad_output.sum(dim=0).sum(dim=0)
    grad_weight = (grad_output * xhat).sum(dim=0).sum(dim=0)

    # 输入的梯度：减去两个投影
    dxhat = grad_output * weight
    grad_x = dxhat - dxhat.mean(dim=-1, keepdim=True)
    grad_x = grad_x - xhat * (dxhat * xhat).mean(dim=-1, keepdim=True)
    return grad_x * inv, grad_weight, grad_bias
