# right: minigpt  a low-rank update in a layer that is made after the output projection
"""A small GPT in the manner of nanoGPT."""

import math

import torch
import torch.nn as nn
from torch.nn import functional as F

PAD = 0


class LoRALinear(nn.Linear):
    """A linear layer whose weight has a low-rank update, merged at every call."""

    def __init__(self, n_in, n_out, rank=5, alpha=10):
        super().__init__(n_in, n_out)
        self.lora_a = nn.Parameter(torch.randn(n_in, rank) / math.sqrt(n_in))
        self.lora_b = nn.Parameter(torch.zeros(rank, n_out))
        self.alpha, self.rank = alpha, rank

    def forward(self, x):
        delta = (self.lora_a @ self.lora_b).T * (self.alpha / math.sqrt(self.rank))
        return F.linear(x, self.weight + delta, self.bias)


class CausalSelfAttention(nn.Module):
    def __init__(self, n_embd, n_head, dropout):
        super().__init__()
        self.c_proj = nn.Linear(n_embd, n_embd)
        self.c_attn = LoRALinear(n_embd, 3 * n_embd)
        self.attn_dropout = nn.Dropout(dropout)
        self.resid_dropout = nn.Dropout(dropout)
        self.n_head = n_head
        self.n_embd = n_embd

    def forward(self, x):
        B, T, C = x.size()
        q, k, v = self.c_attn(x).split(self.n_embd, dim=2)
        k = k.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        q = q.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        v = v.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        att = (q @ k.transpose(-2, -1)) / math.sqrt(k.size(-1))
        future = torch.ones(T, T, dtype=torch.bool, device=x.device).triu(1)
        att = att.masked_fill(future, float("-inf"))
        att = F.softmax(att, dim=-1)
        att = self.attn_dropout(att)
        y = att @ v
        y = y.transpose(1, 2).contiguous().view(B, T, C)
        return self.resid_dropout(self.c_proj(y))


class MLP(nn.Module):
    def __init__(self, n_embd, dropout):
        super().__init__()
        self.c_fc = nn.Linear(n_embd, 4 * n_embd)
        self.c_proj = nn.Linear(4 * n_embd, n_embd)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        return self.dropout(self.c_proj(F.gelu(self.c_fc(x))))


class Block(nn.Module):
    def __init__(self, n_embd, n_head, dropout):
        super().__init__()
        self.ln_1 = nn.LayerNorm(n_embd)
        self.attn = CausalSelfAttention(n_embd, n_head, dropout)
        self.ln_2 = nn.LayerNorm(n_embd)
        self.mlp = MLP(n_embd, dropout)

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        x = x + self.mlp(self.ln_2(x))
        return x


class MiniGPT(nn.Module):
    def __init__(self, vocab_size, block_size, n_embd, n_head, n_layer, dropout=0.0):
        super().__init__()
        self.block_size = block_size
        self.wte = nn.Embedding(vocab_size, n_embd)
        self.wpe = nn.Embedding(block_size, n_embd)
        self.drop = nn.Dropout(dropout)
        self.h = nn.ModuleList([Block(n_embd, n_head, dropout) for _ in range(n_layer)])
        self.ln_f = nn.LayerNorm(n_embd)
        nn.init.normal_(self.wte.weight, std=0.02)
        nn.init.normal_(self.wpe.weight, std=0.02)

    def forward(self, idx):
        pos = torch.arange(idx.size(1), device=idx.device)
        x = self.drop(self.wte(idx) + self.wpe(pos))
        for block in self.h:
            x = block(x)
        x = self.ln_f(x)
        return x @ self.wte.weight.t()


def next_token_loss(logits, tokens):
    guesses = logits[:, :-1, :].reshape(-1, logits.size(-1))
    targets = tokens[:, 1:].reshape(-1)
    return F.cross_entropy(guesses, targets, ignore_index=PAD)


def train(model, tokens, steps, learning_rate):
    model.train()
    weights = [p for p in model.parameters() if p.requires_grad]
    means = [torch.zeros_like(p) for p in weights]
    squares = [torch.zeros_like(p) for p in weights]
    losses = []
    for step in range(steps):
        loss = next_token_loss(model(tokens), tokens)
        grads = torch.autograd.grad(loss, weights)
        norm = math.sqrt(sum(float((g * g).sum()) for g in grads))
        rate = learning_rate * (1 - step / steps)
        with torch.no_grad():
            for p, g, m, s in zip(weights, grads, means, squares):
                g = g * min(1.0, 1.0 / (norm + 1e-6))
                m.mul_(0.9).add_(g, alpha=0.1)
                s.mul_(0.999).addcmul_(g, g, value=0.001)
                p.mul_(1 - rate * 0.01)
                m_hat = m / (1 - 0.9 ** (step + 1))
                s_hat = s / (1 - 0.999 ** (step + 1))
                p.sub_(rate * m_hat / (s_hat.sqrt() + 1e-8))
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
