import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class Block(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.head_dim = dim // heads
        self.ln1 = nn.LayerNorm(dim)
        self.ln2 = nn.LayerNorm(dim)
        self.to_qkv = nn.Linear(dim, 3 * dim)
        self.to_out = nn.Linear(dim, dim)
        self.up = nn.Linear(dim, 4 * dim)
        self.down = nn.Linear(4 * dim, dim)

    def forward(self, x, past=None):
        B, T, C = x.shape
        q, k, v = self.to_qkv(self.ln1(x)).view(B, T, 3, self.heads, self.head_dim).permute(2, 0, 3, 1, 4)
        if past is not None:
            k = torch.cat([past[0], k], dim=2)
            v = torch.cat([past[1], v], dim=2)
        S = k.size(2)
        scores = (q @ k.transpose(-2, -1)) / math.sqrt(self.head_dim)
        keep = torch.arange(S, device=x.device)[None] <= torch.arange(S - T, S, device=x.device)[:, None]
        weights = scores.masked_fill(~keep, float("-inf")).softmax(dim=-1)
        x = x + self.to_out((weights @ v).transpose(1, 2).reshape(B, T, C))
        return x + self.down(F.gelu(self.up(self.ln2(x)))), (k, v)


class CachedGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers):
        super().__init__()
        self.block_size = block_size
        self.tok_emb = nn.Embedding(vocab_size, hidden_dim)
        self.pos_emb = nn.Embedding(block_size, hidden_dim)
        self.blocks = nn.ModuleList([Block(hidden_dim, num_heads) for _ in range(num_layers)])
        self.ln_f = nn.LayerNorm(hidden_dim)

    def forward(self, tokens, cache=None):
        pasts = cache if cache is not None else (None,) * len(self.blocks)
        start = 0 if cache is None else cache[0][0].size(2)
        pos = torch.arange(start, start + tokens.size(1), device=tokens.device)
        x = self.tok_emb(tokens) + self.pos_emb(pos)
        presents = ()
        for block, past in zip(self.blocks, pasts):
            x, present = block(x, past)
            presents = (present,) + presents
        return F.linear(self.ln_f(x), self.tok_emb.weight), presents


@torch.no_grad()
def generate(model, tokens, count):
    model.eval()
    out, cache, step_input = tokens, None, tokens
    while out.size(1) < tokens.size(1) + count:
        logits, cache = model(step_input, cache)
        step_input = logits[:, -1].argmax(-1, keepdim=True)
        out = torch.cat((out, step_input), dim=1)
    return out
