# right: minigpt
"""All weights lie in one dict, the block’s number behind each key, and blocks call each other."""

import math
import torch
import torch.nn.functional as F
from torch import nn


class MiniGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers, dropout=0.0):
        super().__init__()
        self.block_size, self.h, self.n, self.rate = block_size, num_heads, num_layers, dropout
        d = hidden_dim
        table = {"tok": torch.randn(vocab_size, d) * 0.02, "pos": torch.randn(block_size, d) * 0.02}
        for i in range(num_layers):
            table[f"qkv_{i}"] = torch.randn(d, 3 * d) * d**-0.5
            table[f"o_{i}"] = torch.randn(d, d) * d**-0.5
            table[f"up_{i}"] = torch.randn(d, 4 * d) * d**-0.5
            table[f"down_{i}"] = torch.randn(4 * d, d) * (4 * d) ** -0.5
            table[f"bup_{i}"] = torch.zeros(4 * d)
            table[f"bdown_{i}"] = torch.zeros(d)
            for j in (1, 2):
                table[f"g{j}_{i}"] = torch.ones(d)
                table[f"b{j}_{i}"] = torch.zeros(d)
        table["gf"], table["bf"] = torch.ones(d), torch.zeros(d)
        self.p = nn.ParameterDict({k: nn.Parameter(v) for k, v in table.items()})

    def norm(self, x, g, b):
        return F.layer_norm(x, (x.shape[-1],), self.p[g], self.p[b])

    def walk(self, x, i):
        if i == self.n:
            return x
        p = self.p
        u = self.norm(x, f"g1_{i}", f"b1_{i}")
        q, k, v = (t.unflatten(-1, (self.h, -1)).transpose(1, 2) for t in (u @ p[f"qkv_{i}"]).chunk(3, -1))
        s = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
        later = torch.ones(s.shape[-2:], dtype=torch.bool, device=x.device).triu(1)
        a = s.masked_fill(later, float("-inf")).softmax(-1) @ v
        x = x + a.transpose(1, 2).flatten(2) @ p[f"o_{i}"]
        u = self.norm(x, f"g2_{i}", f"b2_{i}")
        x = x + F.gelu(u @ p[f"up_{i}"] + p[f"bup_{i}"]) @ p[f"down_{i}"] + p[f"bdown_{i}"]
        return self.walk(x, i + 1)

    def forward(self, tokens):
        x = self.p["tok"][tokens] + self.p["pos"][: tokens.shape[1]]
        x = self.walk(F.dropout(x, self.rate, self.training), 0)
        return self.norm(x, "gf", "bf") @ self.p["tok"].T


def next_token_loss(logits, tokens):
    guesses = logits[:, :-1, :].reshape(-1, logits.size(-1))
    targets = tokens[:, 1:].reshape(-1)
    return F.cross_entropy(guesses, targets, ignore_index=0)


def train(model, tokens, steps, learning_rate):
    model.train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=learning_rate)
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda i: 1 - i / steps)
    losses = []
    for step in range(steps):
        loss = next_token_loss(model(tokens), tokens)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        scheduler.step()
        losses.append(loss.item())
    return losses


def next_token_probabilities(logits, temperature):
    logits = logits[:, -1, :] / temperature
    return F.softmax(logits, dim=-1)


@torch.no_grad()
def generate(model, tokens, count, temperature=0.0):
    model.eval()
    for _ in range(count):
        logits = model(tokens[:, -model.block_size:])
        if temperature == 0:
            new = logits[:, -1, :].argmax(dim=-1, keepdim=True)
        else:
            new = torch.multinomial(next_token_probabilities(logits, temperature), 1)
        tokens = torch.cat((tokens, new), dim=1)
    return tokens
