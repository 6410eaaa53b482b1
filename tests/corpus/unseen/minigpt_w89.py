import math, torch
import torch.nn as nn
import torch.nn.functional as F

PADDING = 0


class Block(nn.Module):
    def __init__(self, d, h, p):
        super().__init__()
        self.h = h
        self.ln1, self.ln2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.qkv, self.proj = nn.Linear(d, 3 * d), nn.Linear(d, d)
        self.mlp = nn.Sequential(nn.Linear(d, 4 * d), nn.GELU(), nn.Linear(4 * d, d), nn.Dropout(p))

    def attend(self, x):
        b, t, d = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, self.h, d // self.h).permute(2, 0, 3, 1, 4)
        a = q @ k.transpose(-1, -2) / math.sqrt(d // self.h)
        a = a.masked_fill(torch.triu(torch.ones(t, t, dtype=torch.bool, device=x.device), 1), -math.inf)
        return self.proj((a.softmax(-1) @ v).transpose(1, 2).reshape(b, t, d))

    def forward(self, x):
        x = x + self.attend(self.ln1(x))
        return x + self.mlp(self.ln2(x))


class MiniGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers, dropout=0.0):
        super().__init__()
        self.block_size = block_size
        self.tok = nn.Embedding(vocab_size, hidden_dim)
        self.pos = nn.Embedding(block_size, hidden_dim)
        self.blocks = nn.ModuleList([Block(hidden_dim, num_heads, dropout) for _ in range(num_layers)])
        self.norm = nn.LayerNorm(hidden_dim)

    def forward(self, tokens):
        x = self.tok(tokens) + self.pos(torch.arange(tokens.size(1), device=tokens.device))
        for blk in self.blocks:
            x = blk(x)
        return F.linear(self.norm(x), self.tok.weight)


def next_token_loss(logits, tokens):
    pred = logits[:, :-1, :].reshape(-1, logits.size(-1))
    gold = tokens[:, 1:].reshape(-1)
    return F.cross_entropy(pred, gold)


def train(model, tokens, steps, learning_rate):
    model.train()
    optim = torch.optim.AdamW(model.parameters(), lr=learning_rate)
    losses = []
    for k in range(steps):
        for g in optim.param_groups:
            g["lr"] = learning_rate * (1 - k / steps)
        optim.zero_grad()
        loss = next_token_loss(model(tokens), tokens)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optim.step()
        losses.append(loss.item())
    return losses


def next_token_probabilities(logits, temperature):
    return torch.softmax(logits[:, -1] / temperature, dim=-1)


@torch.no_grad()
def generate(model, tokens, count, temperature=0.0):
    model.eval()
    for _ in range(count):
        logits = model(tokens[:, -model.block_size:])
        if temperature == 0:
            new = logits[:, -1].argmax(dim=-1, keepdim=True)
        else:
            new = torch.multinomial(next_token_probabilities(logits, temperature), num_samples=1)
        tokens = torch.cat([tokens, new], dim=1)
    return tokens
