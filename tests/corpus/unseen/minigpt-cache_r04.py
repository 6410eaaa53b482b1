# functional, JAX-like: the cache is one immutable tensor (layers, 2, batch, heads, seen, head_dim)
import torch
from torch import nn
from torch.nn.functional import gelu, layer_norm


def norm(p, x):
    return layer_norm(x, x.shape[-1:], p["g"], p["b"], 1e-5)


def norm_params(dim):
    return nn.ParameterDict({"g": torch.ones(dim), "b": torch.zeros(dim)})


class CachedGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers):
        super().__init__()
        self.block_size = block_size
        self.heads, self.hd = num_heads, hidden_dim // num_heads
        s = hidden_dim ** -0.5
        self.wte = nn.Parameter(torch.randn(vocab_size, hidden_dim) * 0.1)
        self.wpe = nn.Parameter(torch.randn(block_size, hidden_dim) * 0.1)
        self.layers = nn.ModuleList()
        for _ in range(num_layers):
            layer = nn.Module()
            layer.n1, layer.n2 = norm_params(hidden_dim), norm_params(hidden_dim)
            layer.q = nn.Parameter(torch.randn(hidden_dim, hidden_dim) * s)
            layer.kv = nn.Parameter(torch.randn(hidden_dim, 2 * hidden_dim) * s)
            layer.o = nn.Parameter(torch.randn(hidden_dim, hidden_dim) * s)
            layer.up = nn.Parameter(torch.randn(hidden_dim, 4 * hidden_dim) * s)
            layer.down = nn.Parameter(torch.randn(4 * hidden_dim, hidden_dim) * s)
            self.layers.append(layer)
        self.nf = norm_params(hidden_dim)

    def _attend(self, layer, x, past):
        b, t, d = x.shape
        q = (x @ layer.q).view(b, t, self.heads, self.hd).transpose(1, 2)
        kv = (x @ layer.kv).view(b, t, 2, self.heads, self.hd).permute(2, 0, 3, 1, 4)
        if past is not None:
            kv = torch.cat([past, kv], dim=3)
        k, v = kv
        total = k.shape[2]
        scores = torch.einsum("bhid,bhjd->bhij", q, k) * self.hd ** -0.5
        mine = torch.arange(total - t, total, device=x.device)
        visible = mine[:, None] >= torch.arange(total, device=x.device)
        w = torch.where(visible, scores, float("-inf")).softmax(-1)
        y = torch.einsum("bhij,bhjd->bihd", w, v).reshape(b, t, d)
        return y @ layer.o, kv

    def forward(self, tokens, cache=None):
        seen = 0 if cache is None else cache.shape[4]
        x = self.wte[tokens] + self.wpe[seen : seen + tokens.shape[1]]
        grown = []
        for i, layer in enumerate(self.layers):
            y, kv = self._attend(layer, norm(layer.n1, x), None if cache is None else cache[i])
            grown.append(kv)
            x = x + y
            x = x + gelu(norm(layer.n2, x) @ layer.up) @ layer.down
        return norm(self.nf, x) @ self.wte.T, torch.stack(grown)


def generate(model, tokens, count):
    if count == 0:
        return tokens
    model.eval()
    pieces = [tokens]
    with torch.no_grad():
        logits, cache = model(tokens, None)
        pieces.append(logits[:, -1:].argmax(-1))
        while len(pieces) <= count:
            logits, cache = model(pieces[-1], cache)
            pieces.append(logits[:, -1:].argmax(-1))
    return torch.cat(pieces, dim=1)
