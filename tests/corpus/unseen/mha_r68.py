# attn-kata: mha
# JAX habits: parameters stacked over heads, one head as a plain function, vmap does the rest.
import torch
import torch.nn.functional as F
from torch import nn


def one_head(p, x, allowed, rate):
    q, k, v = x @ p["q"], x @ p["k"], x @ p["v"]
    logits = q @ k.mT / q.shape[-1] ** 0.5
    logits = torch.where(allowed, logits, torch.finfo(logits.dtype).min)
    w = torch.softmax(logits, -1)
    if rate:
        w = F.dropout(w, rate)
    return w @ v @ p["o"]


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        d = hidden_dim // num_heads
        self.num_heads, self.rate = num_heads, dropout
        shapes = dict(q=(hidden_dim, d), k=(hidden_dim, d), v=(hidden_dim, d), o=(d, hidden_dim))
        self.p = nn.ParameterDict(
            {n: nn.Parameter(torch.randn(num_heads, *s) * hidden_dim ** -0.5) for n, s in shapes.items()}
        )
        self.bias = nn.Parameter(torch.zeros(hidden_dim))

    def forward(self, x, attention_mask=None):
        b, n, _ = x.shape
        if attention_mask is None:
            allowed = torch.ones((), dtype=torch.bool, device=x.device)
        else:
            allowed = attention_mask != 0
        allowed = allowed.expand(b, self.num_heads, n, n)
        rate = self.rate if self.training else 0.0
        heads = torch.vmap(one_head, in_dims=(0, None, 1, None), randomness="different")
        return heads(dict(self.p.items()), x, allowed, rate).sum(0) + self.bias
