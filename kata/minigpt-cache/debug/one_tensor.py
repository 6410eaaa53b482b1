# the cache is one tensor: (layers, 2, batch, heads, positions, head_dim)
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class TransformerBlock(nn.Module):
    def __init__(self, d_model, nhead):
        super().__init__()
        self.nhead, self.d_head = nhead, d_model // nhead
        self.W_Q = nn.Linear(d_model, d_model)
        self.W_K = nn.Linear(d_model, d_model)
        self.W_V = nn.Linear(d_model, d_model)
        self.W_O = nn.Linear(d_model, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.linear1 = nn.Linear(d_model, 4 * d_model)
        self.linear2 = nn.Linear(4 * d_model, d_model)

    def heads(self, x):
        return x.unflatten(-1, (self.nhead, self.d_head)).transpose(1, 2)

    def forward(self, x, past):
        normed = self.norm1(x)
        Q = self.heads(self.W_Q(normed))
        new = torch.stack([self.heads(self.W_K(normed)), self.heads(self.W_V(normed))])
        present = new if past is None else torch.cat([past, new], dim=-2)
        K, V = present.unbind(0)
        scores = Q @ K.transpose(-2, -1) / math.sqrt(self.d_head)
        n, m = scores.shape[-2:]
        mask = torch.full((n, m), float("-inf"), device=x.device, dtype=x.dtype)
        scores = scores + torch.triu(mask, diagonal=m - n + 1)
        out = torch.softmax(scores, dim=-1) @ V
        x = x + self.W_O(out.transpose(1, 2).flatten(2))
        return x + self.linear2(F.gelu(self.linear1(self.norm2(x)))), present


class GPT(nn.Module):
    def __init__(self, vocab_size, max_len, d_model, nhead, num_layers):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.pos_embedding = nn.Embedding(max_len, d_model)
        self.layers = nn.ModuleList([TransformerBlock(d_model, nhead) for _ in range(num_layers)])
        self.norm = nn.LayerNorm(d_model)
        self.lm_head = nn.Linear(d_model, vocab_size, bias=False)
        self.lm_head.weight = self.embedding.weight

    def forward(self, x, cache=None):
        offset = 0 if cache is None else cache.shape[-2]
        pos = offset + torch.arange(x.shape[1], device=x.device)
        h = self.embedding(x) + self.pos_embedding(pos)
        presents = []
        for i, layer in enumerate(self.layers):
            h, present = layer(h, None if cache is None else cache[i])
            presents.append(present)
        return self.lm_head(self.norm(h)), torch.stack(presents)


def generate(model, prompt, n):
    model.eval()
    with torch.no_grad():
        logits, cache = model(prompt, None)
        out = [prompt, logits[:, -1].argmax(-1)[:, None]]
        for _ in range(n - 1):
            logits, cache = model(out[-1], cache)
            out.append(logits[:, -1].argmax(-1)[:, None])
    return torch.cat(out, dim=1)
