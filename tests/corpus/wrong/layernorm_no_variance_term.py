# wrong: layernorm grad-variance-missing line 23
class Norm:
    def __init__(self, x, eps):
        self.d = x.shape[-1]
        self.mean = x.mean(-1, True)
        self.inv = 1 / (((x - self.mean) ** 2).mean(-1, True) + eps) ** 0.5
        self.hat = (x - self.mean) * self.inv


def layer_norm(x, weight, bias, eps=1e-5):
    return Norm(x, eps).hat * weight + bias


def layer_norm_backward(grad_output, x, weight, eps=1e-5):
    n = Norm(x, eps)
    grad_bias = grad_output.sum(0).sum(0)
    grad_weight = (grad_output * n.hat).sum(0).sum(0)

    # through x - mean: every x gets its own gradient, and minus the
    # average of all, since each of them moves the mean a little
    grad_hat = grad_output * weight
    grad_centred = grad_hat * n.inv
    grad_x = grad_centred - grad_centred.mean(-1, True)
    return grad_x, grad_weight, grad_bias
