from typing import Tuple

import torch
from torch import Tensor


class LayerNormKernel:
    def __init__(self, eps: float):
        self._eps = eps

    @staticmethod
    def _accumulation_dtype(tensor: Tensor) -> torch.dtype:
        return torch.float64 if tensor.dtype == torch.float64 else torch.float32

    def statistics(self, tensor: Tensor) -> Tuple[Tensor, Tensor]:
        mean = torch.mean(tensor, dim=-1, keepdim=True)
        variance = torch.var(tensor, dim=-1, unbiased=False, keepdim=True)
        return mean, torch.rsqrt(variance + self._eps)

    def forward(self, tensor: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        work = tensor.to(self._accumulation_dtype(tensor))
        mean, inverse_std = self.statistics(work)
        return ((work - mean) * inverse_std * weight + bias).to(tensor.dtype)

    def backward(self, gradient: Tensor, tensor: Tensor, weight: Tensor) -> Tuple[Tensor, Tensor, Tensor]:
        dtype = self._accumulation_dtype(tensor)
        work, upstream = tensor.to(dtype), gradient.to(dtype)
        mean, inverse_std = self.statistics(work)
        normalised = (work - mean) * inverse_std
        scaled = upstream * weight.to(dtype)

        mean_term = torch.mean(scaled, dim=-1, keepdim=True)
        variance_term = normalised * torch.mean(scaled * normalised, dim=-1, keepdim=True)
        input_gradient = inverse_std * (upstream - mean_term - variance_term)

        weight_gradient = torch.sum(upstream * normalised, dim=(0, 1))
        bias_gradient = torch.sum(upstream, dim=(0, 1))
        return (
            input_gradient.to(tensor.dtype),
            weight_gradient.to(tensor.dtype),
            bias_gradient.to(tensor.dtype),
        )


def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    return LayerNormKernel(eps).forward(x, weight, bias)


def layer_norm_backward(grad_output: Tensor, x: Tensor, weight: Tensor, eps: float = 1e-5):
    return LayerNormKernel(eps).backward(grad_output, x, weight)
