from __future__ import annotations
import torch, math
from torch import nn, Tensor
from torch.nn import functional as F


class Cache:
    """Keys and values of every layer, of all positions so far. It is given: leave it as it is.

    Adding to it makes another cache and leaves this one as it is.
    """

    def __init__(self, layers: tuple[tuple[Tensor, Tensor], ...] = ()) -> None:
        self.layers = layers

    @property
    def length(self) -> int:
        """How many positions it holds."""
        return self.layers[0][0].shape[2] if self.layers else 0

    def extended(self, layer: int, key: Tensor, value: Tensor) -> tuple[Cache, Tensor, Tensor]:
        """Return the cache with new positions in one layer, and all keys and values of that layer.

        key and value are (batch, heads, length, head_dim), of the new positions.
        """
        if layer < len(self.layers):
            past_key, past_value = self.layers[layer]
            key = torch.cat([past_key, key], dim=2)
            value = torch.cat([past_value, value], dim=2)
        layers = (*self.layers[:layer], (key, value), *self.layers[layer + 1 :])
        return Cache(layers), key, value


class SelfAttention(nn.Module):
    def __init__(self, n_embd, n_head):
        super().__init__()
        self.n_head = n_head
        self.c_attn = nn.Linear(n_embd, 3 * n_embd)
        self.c_proj = nn.Linear(n_embd, n_embd)

    def forward(self, x, layer, past):
        B, T, C = x.size()
        q, k, v = (t.view(B, T, self.n_head, C // self.n_head).transpose(1, 2) for t in self.c_attn(x).split(C, dim=2))
        past, k, v = past.extended(layer, k, v)
        att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
        S = k.size(2)
        allowed = torch.tril(torch.ones(T, S, device=x.device))
        att = att.masked_fill(allowed == 0, float("-inf"))
        y = F.softmax(att, dim=-1) @ v
        return self.c_proj(y.transpose(1, 2).contiguous().view(B, T, C)), past


class CachedGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers):
        super().__init__()
        self.block_size = block_size
        self.wte = nn.Embedding(vocab_size, hidden_dim)
        self.wpe = nn.Embedding(block_size, hidden_dim)
        self.h = nn.ModuleList(
            nn.ModuleDict(
                dict(
                    ln_1=nn.LayerNorm(hidden_dim),
                    attn=SelfAttention(hidden_dim, num_heads),
                    ln_2=nn.LayerNorm(hidden_dim),
                    mlp=nn.Sequential(nn.Linear(hidden_dim, 4 * hidden_dim), nn.GELU(), nn.Linear(4 * hidden_dim, hidden_dim)),
                )
            )
            for _ in range(num_layers)
        )
        self.ln_f = nn.LayerNorm(hidden_dim)
        self.lm_head = nn.Linear(hidden_dim, vocab_size, bias=False)
        self.lm_head.weight = self.wte.weight

    def forward(self, tokens, cache=None):
        past = cache or Cache()
        start = past.length
        x = self.wte(tokens) + self.wpe(torch.arange(start, start + tokens.size(1), device=tokens.device))
        for i, block in enumerate(self.h):
            a, past = block["attn"](block["ln_1"](x), i, past)
            x = x + a
            x = x + block["mlp"](block["ln_2"](x))
        return self.lm_head(self.ln_f(x)), past


@torch.no_grad()
def generate(model, tokens, count):
    model.eval()
    logits, cache = model(tokens)
    out = [tokens, logits[:, -1:].argmax(-1)]
    for _ in range(count - 1):
        logits, cache = model(out[-1], cache)
        out.append(logits[:, -1:].argmax(-1))
    return torch.cat(out, dim=1)
