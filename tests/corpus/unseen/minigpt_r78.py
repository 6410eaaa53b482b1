# attn-kata: minigpt
import torch
import torch.nn.functional as F
from torch import nn

PADDING = 0


class Layer(nn.Module):
    def __init__(self, d, h, p):
        super().__init__()
        self.h = h
        self.n1, self.n2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.q, self.k, self.v, self.o = (nn.Linear(d, d) for _ in range(4))
        self.mlp = nn.Sequential(nn.Linear(d, 4 * d), nn.GELU(), nn.Linear(4 * d, d))
        self.drop = nn.Dropout(p)

    def attend(self, y):
        q, k, v = (f(y).unflatten(-1, (self.h, -1)).transpose(1, 2) for f in (self.q, self.k, self.v))
        s = q @ k.mT / q.shape[-1] ** 0.5
        n = s.shape[-1]
        s = s.masked_fill(torch.ones(n, n, dtype=torch.bool, device=y.device).triu(1), -torch.inf)
        return self.o((s.softmax(-1) @ v).transpose(1, 2).flatten(2))

    def forward(self, x):
        x = x + self.drop(self.attend(self.n1(x)))
        return x + self.drop(self.mlp(self.n2(x)))


class MiniGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers, dropout=0.0):
        super().__init__()
        self.block_size = block_size
        self.table = nn.Parameter(torch.randn(vocab_size, hidden_dim) * 0.02)
        self.places = nn.Parameter(torch.randn(block_size, hidden_dim) * 0.02)
        self.layers = nn.Sequential(*(Layer(hidden_dim, num_heads, dropout) for _ in range(num_layers)))
        self.norm = nn.LayerNorm(hidden_dim)

    def forward(self, tokens):
        x = self.table[tokens] + self.places[: tokens.shape[1]]
        return self.norm(self.layers(x)) @ self.table.T


def next_token_loss(logits, tokens):
    guess, goal = logits[:, :-1], tokens[:, 1:]
    logp = guess.log_softmax(-1).gather(-1, goal.unsqueeze(-1)).squeeze(-1)
    counts = goal.ne(PADDING)
    return -(logp * counts).sum() / counts.sum()


def train(model, tokens, steps, learning_rate):
    model.train()
    opt = torch.optim.AdamW(model.parameters(), lr=learning_rate)
    sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda k: 1 - k / steps)
    history = []
    for _ in range(steps):
        opt.zero_grad()
        loss = next_token_loss(model(tokens), tokens)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        sched.step()
        history.append(loss.item())
    return history


def next_token_probabilities(logits, temperature):
    return (logits[:, -1] / temperature).softmax(-1)


@torch.no_grad()
def generate(model, tokens, count, temperature=0.0):
    model.eval()
    for _ in range(count):
        logits = model(tokens[:, -model.block_size:])
        if temperature == 0:
            nxt = logits[:, -1].argmax(-1, keepdim=True)
        else:
            nxt = torch.multinomial(next_token_probabilities(logits, temperature), 1)
        tokens = torch.cat([tokens, nxt], 1)
    return tokens
