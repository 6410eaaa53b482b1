import torch


def 归一化(x, eps):
    均值 = x.mean(dim=-1, keepdim=True)
    方差 = ((x - 均值) ** 2).mean(dim=-1, keepdim=True)
    标准差 = torch.sqrt(方差 + eps)
    return (x - 均值) / 标准差, 标准差


def layer_norm(x, weight, bias, eps=1e-5):
    结果, _ = 归一化(x, eps)
    return 结果 * weight + bias


def layer_norm_backward(grad_output, x, weight, eps=1e-5):
    xhat, 标准差 = 归一化(x, eps)
    grad_weight = (grad_output * xhat).sum(dim=0).sum(dim=0)
    grad_bias = grad_output.sum(dim=0).sum(dim=0)
    g = grad_output * weight
    平均 = torch.mean(g, dim=-1, keepdim=True)
    投影 = torch.mean(g * xhat, dim=-1, keepdim=True)
    grad_x = (g - 平均 - xhat * 投影) / 标准差
    return grad_x, grad_weight, grad_bias
