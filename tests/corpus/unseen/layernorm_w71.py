import torch


class LayerNormFunction:
    """Same layout as an autograd.Function in a modeling file: forward, then backward."""

    @staticmethod
    def normalize(hidden_states, variance_epsilon):
        mean = hidden_states.mean(-1, keepdim=True)
        variance = (hidden_states - mean).pow(2).mean(-1, keepdim=True)
        inv_std = torch.rsqrt(variance + variance_epsilon)
        return (hidden_states - mean) * inv_std, inv_std

    @classmethod
    def forward(cls, hidden_states, weight, bias, variance_epsilon):
        normalized, _ = cls.normalize(hidden_states, variance_epsilon)
        return weight * normalized + bias

    @classmethod
    def backward(cls, grad_output, hidden_states, weight, variance_epsilon):
        normalized, inv_std = cls.normalize(hidden_states, variance_epsilon)
        grad_bias = grad_output.sum(dim=(0, 1))
        grad_weight = (grad_output * normalized).sum(dim=(0, 1))

        mean_grad = grad_output.mean(-1, keepdim=True)
        mean_grad_normalized = (grad_output * normalized).mean(-1, keepdim=True)
        grad_input = grad_output - mean_grad - normalized * mean_grad_normalized
        grad_input = weight * inv_std * grad_input
        return grad_input, grad_weight, grad_bias


def layer_norm(x, weight, bias, eps=1e-5):
    return LayerNormFunction.forward(x, weight, bias, eps)


def layer_norm_backward(grad_output, x, weight, eps=1e-5):
    return LayerNormFunction.backward(grad_output, x, weight, eps)
