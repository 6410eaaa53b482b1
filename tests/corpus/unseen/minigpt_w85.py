import math

import torch
from torch import nn
from torch.nn import functional as F

PADDING = 0


class SelfAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.wq, self.wk, self.wv, self.wo = (nn.Linear(dim, dim) for _ in range(4))

    def forward(self, x):
        b, t, c = x.shape
        d = c // self.heads
        q, k, v = (w(x).view(b, t, self.heads, d).transpose(1, 2) for w in (self.wq, self.wk, self.wv))
        att = q @ k.transpose(-2, -1) / math.sqrt(d)
        causal = torch.tril(torch.ones(t, t, device=x.device)) == 0
        att = att.masked_fill(causal, float("-inf")).softmax(dim=-1)
        return self.wo((att @ v).transpose(1, 2).contiguous().view(b, t, c))


class Block(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.ln1, self.ln2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.attn = SelfAttention(dim, heads)
        self.fc1, self.fc2 = nn.Linear(dim, 4 * dim), nn.Linear(4 * dim, dim)

    def forward(self, x):
        x = x + self.attn(self.ln1(x))
        return x + self.fc2(F.gelu(self.fc1(self.ln2(x))))


class MiniGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers, dropout=0.0):
        super().__init__()
        self.block_size = block_size
        self.wte = nn.Embedding(vocab_size, hidden_dim)
        self.wpe = nn.Embedding(block_size, hidden_dim)
        self.drop = nn.Dropout(dropout)
        self.h = nn.ModuleList([Block(hidden_dim, num_heads) for _ in range(num_layers)])
        self.ln_f = nn.LayerNorm(hidden_dim)
        self.head = nn.Linear(hidden_dim, vocab_size, bias=False)
        self.head.weight = self.wte.weight
        nn.init.normal_(self.wte.weight, std=0.02)

    def forward(self, tokens):
        pos = torch.arange(tokens.size(1), device=tokens.device)
        x = self.drop(self.wte(tokens) + self.wpe(pos))
        for block in self.h:
            x = block(x)
        return self.head(self.ln_f(x))


def next_token_loss(logits, tokens):
    return F.cross_entropy(
        logits[:, :-1].reshape(-1, logits.size(-1)), tokens[:, 1:].reshape(-1), ignore_index=PADDING
    )


def get_optimizer(model, learning_rate):
    if not hasattr(model, "_optimizer"):
        model._optimizer = torch.optim.AdamW(model.parameters(), lr=learning_rate)
    return model._optimizer


def train(model, tokens, steps, learning_rate):
    opt = get_optimizer(model, learning_rate)
    model.train()
    history = []
    for k in range(steps):
        for g in opt.param_groups:
            g["lr"] = learning_rate * (1 - k / steps)
        loss = next_token_loss(model(tokens), tokens)
        opt.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
        opt.step()
        history.append(loss.item())
    return history


def next_token_probabilities(logits, temperature):
    return torch.softmax(logits[:, -1, :] / temperature, dim=-1)


def generate(model, tokens, count, temperature=0.0):
    model.eval()
    text = tokens
    with torch.no_grad():
        for _ in range(count):
            logits = model(text[:, -model.block_size:])
            if temperature == 0:
                nxt = logits[:, -1, :].argmax(-1, keepdim=True)
            else:
                nxt = torch.multinomial(next_token_probabilities(logits, temperature), num_samples=1)
            text = torch.cat((text, nxt), dim=1)
    return text
