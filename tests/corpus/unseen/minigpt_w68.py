import math
import torch
import torch.nn as nn
import torch.nn.functional as F

PADDING = 0


class Block(nn.Module):
    def __init__(self, dim, heads, drop):
        super().__init__()
        self.heads = heads
        self.hd = dim // heads
        self.ln1 = nn.LayerNorm(dim)
        self.q = nn.Linear(dim, dim)
        self.k = nn.Linear(dim, dim)
        self.v = nn.Linear(dim, dim)
        self.o = nn.Linear(dim, dim)
        self.ln2 = nn.LayerNorm(dim)
        self.fc1 = nn.Linear(dim, 4 * dim)
        self.fc2 = nn.Linear(4 * dim, dim)
        self.drop = nn.Dropout(drop)

    def forward(self, x):
        B, T, C = x.shape
        h = self.ln1(x)
        q = self.q(h).view(B, T, self.heads, self.hd).transpose(1, 2)
        k = self.k(h).view(B, T, self.heads, self.hd).transpose(1, 2)
        v = self.v(h).view(B, T, self.heads, self.hd).transpose(1, 2)
        s = q @ k.transpose(-2, -1) / math.sqrt(self.hd)
        tri = torch.tril(torch.ones(T, T, device=x.device))
        s = s.masked_fill(tri == 0, float("-inf"))
        y = F.softmax(s, dim=-1) @ v
        y = y.transpose(1, 2).contiguous().view(B, T, C)
        x = x + self.drop(self.o(y))
        h = self.ln2(x)
        h = self.fc2(F.gelu(self.fc1(h)))
        x = x + self.drop(h)
        return x


class MiniGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers, dropout=0.0):
        super().__init__()
        self.block_size = block_size
        self.tok = nn.Embedding(vocab_size, hidden_dim)
        self.pos = nn.Embedding(block_size, hidden_dim)
        self.blocks = nn.ModuleList([Block(hidden_dim, num_heads, dropout) for _ in range(num_layers)])
        self.ln = nn.LayerNorm(hidden_dim)
        self.head = nn.Linear(hidden_dim, vocab_size, bias=False)
        self.head.weight = self.tok.weight
        nn.init.normal_(self.tok.weight, mean=0.0, std=0.02)

    def forward(self, tokens):
        T = tokens.shape[1]
        x = self.tok(tokens) + self.pos(torch.arange(T, device=tokens.device))
        for b in self.blocks:
            x = b(x)
        x = self.ln(x)
        return self.head(x)


def next_token_loss(logits, tokens):
    pred = logits[:, :-1].reshape(-1, logits.size(-1))
    want = tokens[:, 1:].reshape(-1)
    return F.cross_entropy(pred, want, ignore_index=PADDING)


def train(model, tokens, steps, learning_rate):
    model.train()
    opt = torch.optim.AdamW(model.parameters(), lr=learning_rate)
    losses = []
    for k in range(steps):
        for g in opt.param_groups:
            g["lr"] = learning_rate * (1 - k / steps)
        opt.zero_grad()
        logits = model(tokens)
        loss = next_token_loss(logits, tokens)
        loss.backward()
        for p in model.parameters():
            if p.grad is not None:
                torch.nn.utils.clip_grad_norm_(p, 1.0)
        opt.step()
        losses.append(loss.item())
    return losses


def next_token_probabilities(logits, temperature):
    last = logits[:, -1]
    last = last / temperature
    return F.softmax(last, dim=-1)


def generate(model, tokens, count, temperature=0.0):
    model.eval()
    out = tokens
    with torch.no_grad():
        for _ in range(count):
            window = out[:, -model.block_size:]
            logits = model(window)
            if temperature == 0:
                nxt = logits[:, -1].argmax(dim=-1, keepdim=True)
            else:
                nxt = torch.multinomial(next_token_probabilities(logits, temperature), 1)
            out = torch.cat([out, nxt], dim=1)
    return out
