import math, torch
from torch import nn
import torch.nn.functional as F

PADDING = 0


class Residual(nn.Module):
    def __init__(self, dim, fn):
        super().__init__()
        self.norm, self.fn = nn.LayerNorm(dim, eps=1e-5), fn

    def forward(self, x):
        return x + self.fn(self.norm(x))


class Attend(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.h = heads
        self.to_qkv = nn.Linear(dim, dim * 3, bias=False)
        self.to_out = nn.Linear(dim, dim, bias=False)

    def forward(self, x):
        b, n, d = x.shape
        # (3, b, h, n, dh)
        q, k, v = self.to_qkv(x).unflatten(-1, (3, self.h, d // self.h)).permute(2, 0, 3, 1, 4)
        sim = torch.einsum("bhid,bhjd->bhij", q, k) / math.sqrt(d // self.h)
        future = torch.ones(n, n, dtype=torch.bool, device=x.device).triu(1)
        attn = sim.masked_fill(future, -torch.inf).softmax(dim=-1)
        out = torch.einsum("bhij,bhjd->bihd", attn, v)
        return self.to_out(out.flatten(2))


class MiniGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers, dropout=0.0):
        super().__init__()
        d = hidden_dim
        self.block_size = block_size
        self.tok = nn.Embedding(vocab_size, d)
        self.pos = nn.Embedding(block_size, d)
        ff = lambda: nn.Sequential(nn.Linear(d, 4 * d), nn.GELU(), nn.Linear(4 * d, d))
        self.net = nn.Sequential(*[
            m for _ in range(num_layers) for m in (Residual(d, Attend(d, num_heads)), Residual(d, ff()))
        ], nn.LayerNorm(d, eps=1e-5))
        for e in (self.tok, self.pos):
            nn.init.normal_(e.weight, std=0.02)

    def forward(self, tokens):
        n = tokens.shape[1]
        x = self.tok(tokens) + self.pos.weight[:n]
        return self.net(x) @ self.tok.weight.t()


def pairs(logits, tokens):
    """what is guessed, and what should have been"""
    return logits[:, :-1], tokens[:, 1:].long()


def next_token_loss(logits, tokens):
    guess, target = pairs(logits, tokens)
    nll = F.cross_entropy(guess.transpose(1, 2), target, reduction="none")
    real = tokens[:, :-1] != PADDING
    return nll[real].mean()


def train(model, tokens, steps, learning_rate):
    model.train()
    opt = torch.optim.AdamW(model.parameters(), lr=learning_rate)
    out = []
    for k in range(steps):
        opt.param_groups[0]["lr"] = learning_rate * (1 - k / steps)
        loss = next_token_loss(model(tokens), tokens)
        opt.zero_grad(); loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        out += [loss.item()]
    return out


def next_token_probabilities(logits, temperature):
    return logits[:, -1].div(temperature).softmax(-1)


@torch.no_grad()
def generate(model, tokens, count, temperature=0.0):
    model.eval()
    for _ in range(count):
        logits = model(tokens[:, -model.block_size:])
        nxt = (next_token_probabilities(logits, temperature).multinomial(1) if temperature
               else logits[:, -1:].argmax(-1))
        tokens = torch.cat((tokens, nxt), 1)
    return tokens
