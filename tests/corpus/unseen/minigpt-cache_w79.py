import torch
import torch.nn as nn
import torch.nn.functional as F


class KVCache:
    def __init__(self, n_layers):
        self.k = [None] * n_layers
        self.v = [None] * n_layers

    @property
    def length(self):
        return 0 if self.k[0] is None else self.k[0].size(2)

    def update(self, i, k, v):
        if self.k[i] is not None:
            k = torch.cat([self.k[i], k], dim=2)
            v = torch.cat([self.v[i], v], dim=2)
        self.k[i], self.v[i] = k, v
        return k, v


class GPTBlock(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.h = h
        self.ln1, self.ln2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.qkv = nn.Linear(d, 3 * d, bias=False)
        self.proj = nn.Linear(d, d, bias=False)
        self.fc, self.fc_out = nn.Linear(d, 4 * d), nn.Linear(4 * d, d)

    def forward(self, x, i, cache, mask):
        b, t, d = x.shape
        q, k, v = self.qkv(self.ln1(x)).view(b, t, 3, self.h, d // self.h).permute(2, 0, 3, 1, 4)
        k, v = cache.update(i, k, v)
        att = torch.einsum("bhqd,bhkd->bhqk", q, k) * (d // self.h) ** -0.5
        att = att.masked_fill(mask, float("-inf")).softmax(dim=-1)
        x = x + self.proj(torch.einsum("bhqk,bhkd->bqhd", att, v).reshape(b, t, d))
        return x + self.fc_out(F.gelu(self.fc(self.ln2(x))))


class CachedGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers):
        super().__init__()
        self.block_size = block_size
        self.tok = nn.Embedding(vocab_size, hidden_dim)
        self.pos = nn.Embedding(block_size, hidden_dim)
        self.blocks = nn.ModuleList([GPTBlock(hidden_dim, num_heads) for _ in range(num_layers)])
        self.ln = nn.LayerNorm(hidden_dim)

    def forward(self, tokens, cache=None):
        if cache is None:
            cache = KVCache(len(self.blocks))
        start, t = cache.length, tokens.size(1)
        pos = torch.arange(start, start + t, device=tokens.device)
        mask = torch.arange(start + t, device=tokens.device)[None, :] > pos[:, None]
        x = self.tok(tokens) + self.pos(pos)
        for i, block in enumerate(self.blocks):
            x = block(x, i, cache, mask)
        return self.ln(x) @ self.tok.weight.t(), cache


@torch.no_grad()
def generate(model, tokens, count):
    model.eval()
    cache = None
    new = tokens
    for _ in range(count):
        logits, cache = model(new, cache)
        new = torch.argmax(logits[:, -1, :], dim=-1, keepdim=True)
        tokens = torch.cat((tokens, new), dim=1)
    return tokens
