# wrong: minigpt-cache causal-missing-in-chunks line 33
import torch
from torch import nn
from torch.nn import functional as F


def table(*shape):
    return nn.Parameter(torch.randn(*shape) * 0.02)


class Weights(nn.Module):
    """One block's weights; the work is done in `block` below."""

    def __init__(self, width, heads):
        super().__init__()
        depth = width // heads
        self.w_q, self.w_k, self.w_v = (table(heads, width, depth) for _ in range(3))
        self.w_o = table(heads, depth, width)
        self.ln1, self.ln2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)


def block(w, x, past):
    u = w.ln1(x)
    q = torch.einsum("bte,hed->bhtd", u, w.w_q)
    k = torch.einsum("bte,hed->bhtd", u, w.w_k)
    v = torch.einsum("bte,hed->bhtd", u, w.w_v)
    if past:
        k = torch.cat([past[0], k], 2)
        v = torch.cat([past[1], v], 2)
    old = k.shape[2] - x.shape[1]
    s = q @ k.mT / k.shape[-1] ** 0.5
    if old == 0:
        ok = torch.ones(s.shape[-2:], dtype=torch.bool, device=x.device).tril()
        s = torch.where(ok, s, float("-inf"))
    p = s.softmax(-1)
    x = x + torch.einsum("bhtd,hde->bte", p @ v, w.w_o)
    return x + w.down(F.gelu(w.up(w.ln2(x)))), (k, v)


class CachedGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers):
        super().__init__()
        self.block_size = block_size
        self.wte = table(vocab_size, hidden_dim)
        self.wpe = table(block_size, hidden_dim)
        self.stack = nn.ModuleList([Weights(hidden_dim, num_heads) for _ in range(num_layers)])
        self.ln_f = nn.LayerNorm(hidden_dim)

    def forward(self, tokens, cache=()):
        cache = cache or ()
        old = cache[0][0].shape[2] if cache else 0
        x = self.wte[tokens] + self.wpe[old : old + tokens.shape[1]]
        grown = ()
        for n, w in enumerate(self.stack):
            x, kv = block(w, x, cache[n] if cache else None)
            grown += (kv,)
        return self.ln_f(x) @ self.wte.T, grown


def generate(model, tokens, count):
    model.eval()

    def go_on(text, logits, cache, left):
        best = logits[:, -1].argmax(1, keepdim=True)
        text = torch.cat([text, best], 1)
        return text if left == 1 else go_on(text, *model(best, cache), left - 1)

    with torch.no_grad():
        return go_on(tokens, *model(tokens), count)
