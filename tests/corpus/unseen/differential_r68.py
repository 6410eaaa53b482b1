"""Written like a Keras layer: weights are made in build(), at the first call."""
import math

import torch
from torch import nn


class Layer(nn.Module):
    built = False

    def add_weight(self, name, shape, std, like):
        value = torch.randn(shape, device=like.device, dtype=like.dtype) * std
        self.register_parameter(name, nn.Parameter(value))

    def __call__(self, inputs):
        if not self.built:
            self.build(inputs)
            self.built = True
        return super().__call__(inputs)


class DifferentialAttention(Layer):
    def __init__(self, hidden_dim, num_heads, depth):
        super().__init__()
        self.units = hidden_dim
        self.num_heads = num_heads
        self.lambda_init = 0.8 - 0.6 * math.exp(-0.3 * depth)

    def build(self, inputs):
        u = self.units
        d = u // (2 * self.num_heads)
        for name in ("query_kernel", "key_kernel", "value_kernel", "output_kernel"):
            self.add_weight(name, (u, u), u**-0.5, inputs)
        for name in ("lambda_q1", "lambda_k1", "lambda_q2", "lambda_k2"):
            self.add_weight(name, (d,), 0.1, inputs)
        self.add_weight("gamma", (2 * d,), 0.0, inputs)
        nn.init.ones_(self.gamma)

    def forward(self, inputs):
        b, t, u = inputs.shape
        h = self.num_heads
        q = (inputs @ self.query_kernel).reshape(b, t, 2 * h, -1).transpose(1, 2)
        k = (inputs @ self.key_kernel).reshape(b, t, 2 * h, -1).transpose(1, 2)
        v = (inputs @ self.value_kernel).reshape(b, t, h, -1).transpose(1, 2)
        scores = q @ k.transpose(2, 3) / math.sqrt(q.shape[-1])
        band = torch.ones(t, t, device=inputs.device).tril()
        maps = scores.masked_fill(band == 0, -math.inf).softmax(-1).view(b, h, 2, t, t)
        lam = (self.lambda_q1 * self.lambda_k1).sum().exp()
        lam = lam - (self.lambda_q2 * self.lambda_k2).sum().exp() + self.lambda_init
        o = (maps[:, :, 0] - lam * maps[:, :, 1]) @ v
        o = o * torch.rsqrt(o.square().mean(dim=-1, keepdim=True) + 1e-5) * self.gamma
        o = (1.0 - self.lambda_init) * o
        return o.transpose(1, 2).reshape(b, t, u) @ self.output_kernel
