from dataclasses import dataclass

import torch


@dataclass(frozen=True)
class LayerNormConfig:
    axis: int = -1
    layer_norm_eps: float = 1e-5
    min_dtype: torch.dtype = torch.float32


CONFIG = LayerNormConfig()


def _moments(hidden_states, config=CONFIG):
    variance, mean = torch.var_mean(hidden_states, dim=config.axis, keepdim=True)
    return mean, variance


def _upcast(tensor, config=CONFIG):
    return tensor.to(torch.promote_types(tensor.dtype, config.min_dtype))


def layer_norm(x, weight, bias, eps=CONFIG.layer_norm_eps):
    input_dtype = x.dtype
    hidden_states = _upcast(x)
    mean, variance = _moments(hidden_states)
    hidden_states = (hidden_states - mean) * torch.rsqrt(variance + eps)
    return (_upcast(weight) * hidden_states + _upcast(bias)).to(input_dtype)


def layer_norm_backward(grad_output, x, weight, eps=CONFIG.layer_norm_eps):
    input_dtype = x.dtype
    hidden_states, grad_states = _upcast(x), _upcast(grad_output)
    mean, variance = _moments(hidden_states)
    inv_std = torch.rsqrt(variance + eps)
    normed_states = (hidden_states - mean) * inv_std

    grad_weight = (grad_states * normed_states).flatten(0, 1).sum(0)
    grad_bias = grad_states.flatten(0, 1).sum(0)

    grad_normed = grad_states * _upcast(weight)
    grad_x = inv_std * (
        grad_normed
        - grad_normed.mean(CONFIG.axis, keepdim=True)
        - normed_states * (grad_normed * normed_states).mean(CONFIG.axis, keepdim=True)
    )
    return grad_x.to(input_dtype), grad_weight.to(input_dtype), grad_bias.to(input_dtype)
