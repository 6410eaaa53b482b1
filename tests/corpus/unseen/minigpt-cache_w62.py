import torch
from einops import rearrange, repeat
from torch import einsum, nn


class CausalAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads, self.scale = heads, (dim // heads) ** -0.5
        self.norm = nn.LayerNorm(dim)
        self.to_q = nn.Linear(dim, dim, bias=False)
        self.to_kv = nn.Linear(dim, 2 * dim, bias=False)
        self.to_out = nn.Linear(dim, dim)

    def forward(self, x, past=None):
        x = self.norm(x)
        q = rearrange(self.to_q(x), "b n (h d) -> b h n d", h=self.heads) * self.scale
        k, v = rearrange(self.to_kv(x), "b n (two h d) -> two b h n d", two=2, h=self.heads)
        if past is not None:
            pk, pv = past
            k, v = torch.cat((pk, k), dim=-2), torch.cat((pv, v), dim=-2)
        sim = einsum("bhid,bhjd->bhij", q, k)
        i, j = sim.shape[-2:]
        future = torch.ones(i, j, device=x.device, dtype=torch.bool).triu(j - i + 1)
        attn = sim.masked_fill(future, float("-inf")).softmax(dim=-1)
        out = rearrange(einsum("bhij,bhjd->bhid", attn, v), "b h n d -> b n (h d)")
        return self.to_out(out), (k, v)


class FeedForward(nn.Sequential):
    def __init__(self, dim):
        super().__init__(nn.LayerNorm(dim), nn.Linear(dim, dim * 4), nn.GELU(), nn.Linear(dim * 4, dim))


class CachedGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers):
        super().__init__()
        self.block_size = block_size
        self.token_emb = nn.Embedding(vocab_size, hidden_dim)
        self.pos_emb = nn.Embedding(block_size, hidden_dim)
        self.attns = nn.ModuleList([CausalAttention(hidden_dim, num_heads) for _ in range(num_layers)])
        self.ffs = nn.ModuleList([FeedForward(hidden_dim) for _ in range(num_layers)])
        self.norm = nn.LayerNorm(hidden_dim)

    def forward(self, tokens, cache=None):
        b, n = tokens.shape
        kvs = [None] * len(self.attns) if cache is None else cache
        seen = 0 if cache is None else kvs[0][0].shape[-2]
        pos = repeat(torch.arange(n, device=tokens.device) + seen, "n -> b n", b=b)
        x = self.token_emb(tokens) + self.pos_emb(pos)
        for i, (attn, ff) in enumerate(zip(self.attns, self.ffs)):
            out, kvs[i] = attn(x, kvs[i])
            x = x + out
            x = x + ff(x)
        return self.norm(x) @ self.token_emb.weight.t(), kvs


@torch.no_grad()
def generate(model, tokens, count):
    model.eval()
    cache, step = None, tokens
    for _ in range(count):
        logits, cache = model(step, cache)
        step = logits[:, -1:].argmax(dim=-1)
        tokens = torch.cat((tokens, step), dim=-1)
    return tokens
