"""Single-head dot-product attention, laid out as I would in Flax: kernels are (in, out)."""
import torch
from torch import nn


class Dense(nn.Module):
    def __init__(self, in_features, features, use_bias=True):
        super().__init__()
        self.kernel = nn.Parameter(torch.empty(in_features, features))
        self.bias = nn.Parameter(torch.zeros(features)) if use_bias else None
        nn.init.normal_(self.kernel, std=in_features ** -0.5)  # lecun_normal

    def forward(self, inputs):
        y = torch.tensordot(inputs, self.kernel, dims=([-1], [0]))
        return y if self.bias is None else y + self.bias


def dot_product_attention_weights(query, key):
    """[..., q, d], [..., k, d] -> [..., q, k]"""
    depth = query.shape[-1]
    query = query * depth ** -0.5
    logits = torch.einsum("...qd,...kd->...qk", query, key)
    unnormalized = torch.exp(logits - logits.amax(dim=-1, keepdim=True))
    return unnormalized / unnormalized.sum(dim=-1, keepdim=True)


def dot_product_attention(query, key, value):
    return torch.einsum("...qk,...kd->...qd", dot_product_attention_weights(query, key), value)


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        make = lambda: Dense(hidden_dim, hidden_dim)
        self.query, self.key, self.value = make(), make(), make()

    def forward(self, inputs_q):
        return dot_product_attention(*(f(inputs_q) for f in (self.query, self.key, self.value)))


apply = lambda module, x: module(x)

if __name__ == "__main__":
    m = SelfAttentionV1(8)
    print(apply(m, torch.randn(2, 5, 8)).shape)
