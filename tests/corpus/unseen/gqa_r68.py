import torch
from torch import nn


def dense_general(in_shape, out_shape):
    """What flax.linen.DenseGeneral keeps: {'kernel': in+out, 'bias': out}."""
    fan_in = 1
    for n in in_shape:
        fan_in *= n
    kernel = torch.randn(*in_shape, *out_shape) / fan_in**0.5
    return nn.ParameterDict({"kernel": nn.Parameter(kernel), "bias": nn.Parameter(torch.zeros(out_shape))})


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads):
        super().__init__()
        if num_heads % num_kv_heads:
            raise ValueError("num_heads must be a multiple of num_kv_heads")
        d = hidden_dim // num_heads
        self.params = nn.ModuleDict(
            {
                "MultiHeadDotProductAttention_0": nn.ModuleDict(
                    {
                        "query": dense_general((hidden_dim,), (num_heads, d)),
                        "key": dense_general((hidden_dim,), (num_kv_heads, d)),
                        "value": dense_general((hidden_dim,), (num_kv_heads, d)),
                        "out": dense_general((num_heads, d), (hidden_dim,)),
                    }
                )
            }
        )
        self.depth = d
        self.groups = num_kv_heads

    def forward(self, x, attention_mask=None):
        p = self.params["MultiHeadDotProductAttention_0"]

        def project(name):
            return torch.einsum("bte,end->btnd", x, p[name]["kernel"]) + p[name]["bias"]

        q, k, v = project("query"), project("key"), project("value")
        q = q * self.depth**-0.5
        b, t, n, d = q.shape
        q = q.reshape(b, t, self.groups, n // self.groups, d)
        logits = torch.einsum("bqkgd,bskd->bkgqs", q, k)
        if attention_mask is not None:
            m = attention_mask.bool().expand(b, n, t, t).reshape(logits.shape)
            logits = torch.where(m, logits, torch.finfo(logits.dtype).min)
        probs = torch.softmax(logits, dim=-1)
        out = torch.einsum("bkgqs,bskd->bqkgd", probs, v).reshape(b, t, n, d)
        return torch.einsum("bqnd,nde->bqe", out, p["out"]["kernel"]) + p["out"]["bias"]
