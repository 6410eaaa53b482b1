# right: minigpt-cache
"""A pytree of arrays, a pure function, a cache that is a plain tuple of (2, batch, length, width) tensors."""
import torch
import torch.nn.functional as F
from torch import nn


def make(vocab, ctx, d, layers, std=0.02):
    r = lambda *shape: torch.randn(*shape) * std
    return {
        "emb": {"tok": r(d, vocab), "pos": r(d, ctx)},
        "attn": {"kv": r(layers, d, 2, d), "q": r(layers, d, d), "o": r(layers, d, d)},
        "mlp": {"0": r(layers, d, 4 * d), "1": r(layers, 4 * d, d), "0b": torch.zeros(layers, 4 * d)},
        "ln": {"0": torch.ones(layers, d), "1": torch.ones(layers, d), "f": torch.ones(1, d)},
    }


def step(params, tokens, cache, heads):
    emb, attn, mlp, ln = (params[k] for k in ("emb", "attn", "mlp", "ln"))
    layers, d = attn["q"].shape[:2]
    past = cache[0].shape[2] if cache else 0
    t = tokens.shape[1]
    x = emb["tok"].T[tokens] + emb["pos"][:, past : past + t].T
    pos_q = torch.arange(past, past + t, device=x.device)
    pos_k = torch.arange(past + t, device=x.device)
    blocked = pos_k[None, :] > pos_q[:, None]
    out = []
    for i in range(layers):
        y = F.layer_norm(x, (d,), ln["0"][i])
        kv = torch.einsum("btd,dre->rbte", y, attn["kv"][i])
        if cache:
            kv = torch.cat([cache[i], kv], dim=2)
        out.append(kv)
        k, v = kv.unflatten(-1, (heads, -1))
        q = (y @ attn["q"][i]).unflatten(-1, (heads, -1)) * (d // heads) ** -0.5
        w = torch.einsum("bihc,bjhc->bhij", q, k).masked_fill(blocked, float("-inf")).softmax(-1)
        x = x + torch.einsum("bhij,bjhc->bihc", w, v).flatten(2) @ attn["o"][i]
        y = F.layer_norm(x, (d,), ln["1"][i])
        x = x + F.gelu(y @ mlp["0"][i] + mlp["0b"][i]) @ mlp["1"][i]
    return F.layer_norm(x, (d,), ln["f"][0]) @ emb["tok"], tuple(out)


class CachedGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers):
        super().__init__()
        self.block_size = block_size
        self.heads = num_heads
        tree = make(vocab_size, block_size, hidden_dim, num_layers)
        self.tree = nn.ModuleDict({k: nn.ParameterDict(v) for k, v in tree.items()})

    def forward(self, tokens, cache=None):
        return step(self.tree, tokens, cache, self.heads)


def generate(model, tokens, count):
    model.eval()
    text = [tokens]
    cache = None
    with torch.no_grad():
        for _ in range(count):
            logits, cache = model(text[-1], cache)
            text.append(torch.argmax(logits[:, -1, :], dim=-1, keepdim=True))
    return torch.cat(text, dim=1)
