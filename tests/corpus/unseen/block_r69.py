"""Pure functions over a tree of arrays, Haiku fashion; the nn.Module only holds the tree."""
import torch
from torch import nn
from torch.nn.functional import gelu


def init(hidden_dim):
    d = hidden_dim

    def w(*s):
        return torch.randn(*s) * s[-2] ** -0.5

    return {
        "block/layer_norm": {"scale": torch.ones(d), "offset": torch.zeros(d)},
        "block/layer_norm_1": {"scale": torch.ones(d), "offset": torch.zeros(d)},
        "block/linear": {"w": w(d, d), "b": torch.zeros(d)},
        "block/linear_1": {"w": w(d, d), "b": torch.zeros(d)},
        "block/linear_2": {"w": w(d, d), "b": torch.zeros(d)},
        "block/linear_3": {"w": w(d, d), "b": torch.zeros(d)},
        "block/linear_4": {"w": w(d, 4 * d), "b": torch.zeros(4 * d)},
        "block/linear_5": {"w": w(4 * d, d), "b": torch.zeros(d)},
    }


def linear(p, x):
    return x @ p["w"] + p["b"]


def layer_norm(p, x):
    mean = x.mean(-1, keepdim=True)
    var = (x - mean).square().mean(-1, keepdim=True)
    return (x - mean) * torch.rsqrt(var + 1e-5) * p["scale"] + p["offset"]


def apply(params, x, num_heads):
    b, t, d = x.shape
    h = layer_norm(params["block/layer_norm"], x)
    # linear: values, linear_1: queries, linear_2: keys
    v = linear(params["block/linear"], h).reshape(b, t, num_heads, -1)
    q = linear(params["block/linear_1"], h).reshape(b, t, num_heads, -1)
    k = linear(params["block/linear_2"], h).reshape(b, t, num_heads, -1)
    logits = torch.einsum("bthd,bThd->bhtT", q, k) / (d // num_heads) ** 0.5
    mask = torch.ones(t, t, device=x.device).tril()[None, None]
    logits = torch.where(mask.bool(), logits, torch.finfo(logits.dtype).min)
    attn = torch.einsum("bhtT,bThd->bthd", logits.softmax(-1), v).reshape(b, t, d)
    x = x + linear(params["block/linear_3"], attn)
    h = layer_norm(params["block/layer_norm_1"], x)
    return x + linear(params["block/linear_5"], gelu(linear(params["block/linear_4"], h)))


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        tree = init(hidden_dim)
        self.params = nn.ModuleDict({k: nn.ParameterDict(v) for k, v in tree.items()})

    def forward(self, x):
        return apply(self.params, x, self.num_heads)
