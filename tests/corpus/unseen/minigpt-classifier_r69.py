"""All numbers in one flat vector, cut up by shape when they are needed (like ravel_pytree in JAX)."""
import math

import torch
import torch.nn.functional as F
from torch import nn


def shapes(v, n, d, layers, classes):
    yield "embed", (v, d), 0.02
    yield "place", (n, d), 0.02
    for i in range(layers):
        yield f"{i}.q", (d, d), d**-0.5
        yield f"{i}.k", (d, d), d**-0.5
        yield f"{i}.v", (d, d), d**-0.5
        yield f"{i}.o", (d, d), d**-0.5
        yield f"{i}.up", (d, 4 * d), d**-0.5
        yield f"{i}.down", (4 * d, d), (4 * d) ** -0.5
        yield f"{i}.norm_a", (d,), None
        yield f"{i}.norm_m", (d,), None
    yield "norm", (d,), None
    yield "head.w", (d, classes), d**-0.5
    yield "head.b", (classes,), 0.0


class GPTClassifier(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers, num_classes):
        super().__init__()
        self.spec = list(shapes(vocab_size, block_size, hidden_dim, num_layers, num_classes))
        self.num_heads, self.num_layers = num_heads, num_layers
        parts = [torch.ones(s) if std is None else torch.randn(s) * std for _, s, std in self.spec]
        self.theta = nn.Parameter(torch.cat([p.flatten() for p in parts]))

    def unravel(self):
        pieces = self.theta.split([math.prod(s) for _, s, _ in self.spec])
        return {name: piece.view(s) for (name, s, _), piece in zip(self.spec, pieces)}

    def forward(self, tokens, mask):
        p = self.unravel()
        b, t = tokens.shape
        real = mask > 0
        places = torch.clamp(torch.cumsum(real.int(), dim=1) - 1, min=0)
        x = F.embedding(tokens, p["embed"]) + F.embedding(places, p["place"])
        seen = torch.tril(real[:, None, None, :].expand(b, 1, t, t))
        for i in range(self.num_layers):
            y = F.layer_norm(x, x.shape[2:], p[f"{i}.norm_a"])
            q, k, v = ((y @ p[f"{i}.{r}"]).view(b, t, self.num_heads, -1).transpose(1, 2) for r in "qkv")
            s = q @ k.transpose(2, 3) / math.sqrt(q.shape[3])
            w = s.masked_fill(seen.logical_not(), -math.inf).softmax(-1).nan_to_num(0.0)
            x = x + (w @ v).transpose(1, 2).reshape(b, t, -1) @ p[f"{i}.o"]
            y = F.layer_norm(x, x.shape[2:], p[f"{i}.norm_m"])
            x = x + F.gelu(y @ p[f"{i}.up"]) @ p[f"{i}.down"]
        x = F.layer_norm(x, x.shape[2:], p["norm"])
        x = x.masked_fill(~real.unsqueeze(-1), 0)
        mean = x.sum(1) / real.sum(1).to(x.dtype).unsqueeze(1)
        return mean @ p["head.w"] + p["head.b"]
