import functools
import logging

import torch
from torch import nn

logger = logging.getLogger(__name__)


def with_bool_mask(forward):
    """Mask may be bool, integer or float; inside it is bool, and padding stands at the end.

    Real tokens keep their order, so that causal attention never meets padding before a real
    token and places are simply 0, 1, 2 ...
    """

    def inner(self, tokens, mask):
        real = mask.bool()
        order = torch.argsort((~real).to(torch.uint8), dim=1, stable=True)
        tokens, real = tokens.gather(1, order), real.gather(1, order)
        logger.debug("%s real tokens", real.sum(1).tolist())
        return forward(self, tokens, real)

    return inner


class Attention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.c_attn, self.c_proj = nn.Linear(dim, 3 * dim), nn.Linear(dim, dim)

    def forward(self, x):
        q, k, v = (t.unflatten(-1, (self.heads, -1)).transpose(1, 2) for t in self.c_attn(x).chunk(3, -1))
        s = (q @ k.mT) / q.size(-1) ** 0.5
        s = s + torch.full_like(s[0, 0], float("-inf")).triu(1)
        return self.c_proj((s.softmax(-1) @ v).transpose(1, 2).flatten(2))


class PreNorm(nn.Module):
    def __init__(self, dim, fn):
        super().__init__()
        self.norm, self.fn = nn.LayerNorm(dim), fn

    def forward(self, x):
        return x + self.fn(self.norm(x))


class TinyGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers):
        super().__init__()
        self.wte = nn.Embedding(vocab_size, hidden_dim)
        self.wpe = nn.Embedding(block_size, hidden_dim)
        mlp = functools.partial(
            lambda d: nn.Sequential(nn.Linear(d, 4 * d), nn.GELU(), nn.Linear(4 * d, d)), hidden_dim
        )
        branches = (make for _ in range(num_layers) for make in (lambda: Attention(hidden_dim, num_heads), mlp))
        self.trunk = nn.Sequential(*(PreNorm(hidden_dim, make()) for make in branches))
        self.ln_f = nn.LayerNorm(hidden_dim)

    def vectors(self, tokens):
        places = torch.arange(tokens.shape[1], device=tokens.device)
        return self.ln_f(self.trunk(self.wte(tokens) + self.wpe(places)))


class GPTClassifier(TinyGPT):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers, num_classes):
        super().__init__(vocab_size, block_size, hidden_dim, num_heads, num_layers)
        self.classes = nn.Linear(hidden_dim, num_classes)

    @with_bool_mask
    def forward(self, tokens, mask):
        vectors = self.vectors(tokens)
        summed = torch.where(mask[..., None], vectors, 0).sum(dim=1)
        return self.classes(summed / mask.sum(dim=1, keepdim=True))
