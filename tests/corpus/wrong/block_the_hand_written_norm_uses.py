# wrong: block norm-unbiased line 13
import math

import torch
from torch import nn


def linear(x, w, b):
    return torch.addmm(b, x.flatten(0, -2), w).unflatten(0, x.shape[:-1])


def norm(x, g, b):
    return g * (x - x.mean(-1, keepdim=True)) / torch.sqrt(x.var(-1, keepdim=True) + 1e-5) + b


def gelu(x):
    return x * 0.5 * (1 + torch.erf(x / math.sqrt(2)))


def mha(x, w_qkv, b_qkv, w_o, b_o, n_head):
    heads = [t.chunk(n_head, -1) for t in linear(x, w_qkv, b_qkv).chunk(3, -1)]
    causal = (1 - torch.tril(torch.ones(x.shape[1], x.shape[1], dtype=x.dtype, device=x.device))) * torch.finfo(x.dtype).min
    outs = [torch.softmax(q @ k.mT / math.sqrt(q.shape[-1]) + causal, -1) @ v for q, k, v in zip(*heads)]
    return linear(torch.cat(outs, -1), w_o, b_o)


def ffn(x, w_up, b_up, w_down, b_down):
    return linear(gelu(linear(x, w_up, b_up)), w_down, b_down)


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.n_head = num_heads
        c = hidden_dim
        for name, shape in dict(w_qkv=(c, 3 * c), w_o=(c, c), w_up=(c, 4 * c), w_down=(4 * c, c)).items():
            self.register_parameter(name, nn.Parameter(torch.randn(shape) * shape[0] ** -0.5))
            self.register_parameter("b" + name[1:], nn.Parameter(torch.zeros(shape[1])))
        for name in ("ln1", "ln2"):
            self.register_parameter(name + "_g", nn.Parameter(torch.ones(c)))
            self.register_parameter(name + "_b", nn.Parameter(torch.zeros(c)))

    def forward(self, x):
        x = x + mha(norm(x, self.ln1_g, self.ln1_b), self.w_qkv, self.b_qkv, self.w_o, self.b_o, self.n_head)
        x = x + ffn(norm(x, self.ln2_g, self.ln2_b), self.w_up, self.b_up, self.w_down, self.b_down)
        return x
