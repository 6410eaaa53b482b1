# wrong: minigpt layers-shared line 72
"""A small GPT in the manner of nanoGPT."""

import math

import torch
import torch.nn as nn
from torch.nn import functional as F

PAD = 0


class CausalSelfAttention(nn.Module):
    def __init__(self, n_embd, n_head, dropout):
        super().__init__()
        self.c_attn = nn.Linear(n_embd, 3 * n_embd)
        self.c_proj = nn.Linear(n_embd, n_embd)
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
    def __init__(self, n_embd, n_head, dropout, norm):
        super().__init__()
        self.ln_1 = norm
        self.attn = CausalSelfAttention(n_embd, n_head, dropout)
        self.ln_2 = norm
        self.mlp = MLP(n_embd, dropout)

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        x = x + self.mlp(self.ln_2(x))
        return x


class MiniGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_size, num_attention_heads, num_hidden_layers, dropout=0.0):
        super().__init__()
        self.block_size = block_size
        self.transformer_wte = nn.Embedding(vocab_size, hidden_size)
        self.wpe = nn.Embedding(block_size, hidden_size)
        self.drop = nn.Dropout(dropout)
        norm = nn.LayerNorm(hidden_size)
        self.h = nn.ModuleList([Block(hidden_size, num_attention_heads, dropout, norm) for _ in range(num_hidden_layers)])
        self.ln_f = nn.LayerNorm(hidden_size)
        nn.init.normal_(self.transformer_wte.weight, std=0.02)
        nn.init.normal_(self.wpe.weight, std=0.02)

    def forward(self, idx):
        pos = torch.arange(idx.size(1), device=idx.device)
        x = self.drop(self.transformer_wte(idx) + self.wpe(pos))
        for block in self.h:
            x = block(x)
        x = self.ln_f(x)
        return x @ self.transformer_wte.weight.t()


def next_token_loss(logits, tokens):
    guesses = logits[:, :-1, :].reshape(-1, logits.size(-1))
    targets = tokens[:, 1:].reshape(-1)
    return F.cross_entropy(guesses, targets, ignore_index=PAD)


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
