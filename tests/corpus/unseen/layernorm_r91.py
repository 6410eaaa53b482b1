import torch


def standardise(x, eps):
    # two passes: deviations first, then their squares
    x = x.double()
    x = x - x.sum(-1, keepdim=True) / x.size(-1)
    std = ((x * x).sum(-1, keepdim=True) / x.size(-1) + eps) ** 0.5
    return x / std, std


class LayerNormFunction(torch.autograd.Function):
    """the hand-written backward is also what autograd gets"""

    @staticmethod
    def forward(ctx, x, weight, bias, eps):
        ctx.save_for_backward(x, weight)
        ctx.eps = eps
        x_hat, _ = standardise(x, eps)
        return (x_hat * weight + bias).to(x.dtype)

    @staticmethod
    def backward(ctx, dy):
        return (*layer_norm_backward(dy, *ctx.saved_tensors, ctx.eps), None)


def layer_norm(x, weight, bias, eps=1e-5):
    return LayerNormFunction.apply(x, weight, bias, eps)


def layer_norm_backward(grad_output, x, weight, eps=1e-5):
    n = x.size(-1)
    x_hat, std = standardise(x, eps)
    dy = grad_output.double()
    dxhat = dy * weight
    # mind the order: sums over features for x, sums over positions for weight and bias
    dstd = -(dxhat * x_hat).sum(-1, keepdim=True) / std
    dcentred = dxhat / std + dstd * x_hat / n
    dx = dcentred - dcentred.sum(-1, keepdim=True) / n
    dw = (dy * x_hat).sum(dim=(0, 1))
    db = dy.sum(dim=(0, 1))
    return dx.to(x.dtype), dw.to(weight.dtype), db.to(weight.dtype)


if __name__ == "__main__":
    x = torch.tensor([[[1.0, 3.0]]])
    print(layer_norm(x, torch.ones(2), torch.zeros(2)))  # -1, 1
