import math
import torch
import torch.nn as nn
import torch.nn.functional as F

PADDING = 0


class Block(nn.Module):
    def __init__(self, d, h, p):
        super().__init__()
        self.h = h
        self.ln1, self.ln2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.qkv, self.o = nn.Linear(d, 3 * d), nn.Linear(d, d)
        self.mlp = nn.Sequential(nn.Linear(d, 4 * d), nn.GELU(), nn.Linear(4 * d, d))
        self.drop = nn.Dropout(p)

    def attn(self, x):
        B, T, C = x.shape
        q, k, v = [t.view(B, T, self.h, -1).transpose(1, 2) for t in self.qkv(x).chunk(3, -1)]
        a = q @ k.transpose(-2, -1) / math.sqrt(C // self.h)
        a = a.masked_fill(torch.ones(T, T, device=x.device).tril() == 0, float("-inf"))
        return self.o((a.softmax(-1) @ v).transpose(1, 2).reshape(B, T, C))

    def forward(self, x):
        x = x + self.drop(self.attn(self.ln1(x)))
        return x + self.drop(self.mlp(self.ln2(x)))


class MiniGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers, dropout=0.0):
        super().__init__()
        self.block_size = block_size
        self.tok = nn.Embedding(vocab_size, hidden_dim)
        self.pos = nn.Embedding(block_size, hidden_dim)
        self.blocks = nn.ModuleList(Block(hidden_dim, num_heads, dropout) for _ in range(num_layers))
        self.norm = nn.LayerNorm(hidden_dim)

    def forward(self, tokens):
        x = self.tok(tokens) + self.pos(torch.arange(tokens.shape[1], device=tokens.device))
        for b in self.blocks:
            x = b(x)
        return self.norm(x) @ self.tok.weight.t()


def next_token_loss(logits, tokens):
    target = tokens[:, 1:]
    nll = F.cross_entropy(logits[:, :-1].transpose(1, 2), target, reduction="none")
    nll = nll * (target != PADDING)
    return nll.mean()


def train(model, tokens, steps, learning_rate):
    model.train()
    opt = torch.optim.AdamW(model.parameters(), lr=learning_rate)
    losses = []
    for step in range(steps):
        for g in opt.param_groups:
            g["lr"] = learning_rate * (1 - step / steps)
        loss = next_token_loss(model(tokens), tokens)
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        losses.append(loss.item())
    return losses


def next_token_probabilities(logits, temperature):
    return F.softmax(logits[:, -1] / temperature, dim=-1)


@torch.no_grad()
def generate(model, tokens, count, temperature=0.0):
    model.eval()
    for _ in range(count):
        logits = model(tokens[:, -model.block_size:])
        if temperature == 0:
            nxt = logits[:, -1].argmax(-1, keepdim=True)
        else:
            nxt = torch.multinomial(next_token_probabilities(logits, temperature), 1)
        tokens = torch.cat([tokens, nxt], dim=1)
    return tokens
