import torch
from torch import nn
from torch.nn import functional as F


class SelfAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.to_qkv = nn.Linear(dim, 3 * dim)
        self.proj = nn.Linear(dim, dim)

    def forward(self, x, kept):
        b, t, e = x.shape
        d = e // self.heads
        q, k, v = self.to_qkv(x).view(b, t, 3, self.heads, d).permute(2, 0, 3, 1, 4)
        if kept is not None:
            old_k, old_v = kept
            k = torch.cat([old_k, k], dim=2)
            v = torch.cat([old_v, v], dim=2)
        att = torch.einsum("bhqd,bhkd->bhqk", q, k) * d**-0.5
        s = k.shape[2]
        rows = torch.arange(s - t, s, device=x.device)
        cols = torch.arange(s, device=x.device)
        att = att.masked_fill(cols[None, :] > rows[:, None], float("-inf"))
        att = F.softmax(att, dim=-1)
        y = torch.einsum("bhqk,bhkd->bqhd", att, v)
        return self.proj(y.reshape(b, t, e)), (k, v)


class MLP(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.fc1 = nn.Linear(dim, 4 * dim)
        self.fc2 = nn.Linear(4 * dim, dim)

    def forward(self, x):
        return self.fc2(F.gelu(self.fc1(x)))


class Block(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.ln1 = nn.LayerNorm(dim)
        self.attn = SelfAttention(dim, heads)
        self.ln2 = nn.LayerNorm(dim)
        self.mlp = MLP(dim)

    def forward(self, x, kept):
        a, kept = self.attn(self.ln1(x), kept)
        x = x + a
        x = x + self.mlp(self.ln2(x))
        return x, kept


class CachedGPT(nn.Module):
    def __init__(self, vocab_size, block_size, dim, heads, depth):
        super().__init__()
        self.tok_emb = nn.Embedding(vocab_size, dim)
        self.pos_emb = nn.Embedding(block_size, dim)
        self.blocks = nn.ModuleList([Block(dim, heads) for _ in range(depth)])
        self.ln_f = nn.LayerNorm(dim)
        self.head = nn.Linear(dim, vocab_size, bias=False)
        self.head.weight = self.tok_emb.weight

    def forward(self, tokens, cache=None):
        start = 0 if cache is None else cache[0][0].shape[2]
        places = torch.arange(start, start + tokens.shape[1], device=tokens.device)
        x = self.tok_emb(tokens) + self.pos_emb(places)
        grown = []
        for i, block in enumerate(self.blocks):
            x, kept = block(x, None if cache is None else cache[i])
            grown.append(kept)
        x = self.ln_f(x)
        return self.head(x), grown


@torch.no_grad()
def generate(model, tokens, count):
    model.eval()
    logits, cache = model(tokens)
    for step in range(count):
        new = logits[:, -1, :].argmax(dim=-1, keepdim=True)
        tokens = torch.cat([tokens, new], dim=1)
        if step < count - 1:
            logits, cache = model(new, cache)
    return tokens
