import torch
import torch.nn.functional as F
from torch import nn

PADDING = 0


class Layer(nn.Module):
    def __init__(self, c, h):
        super().__init__()
        self.h, self.d = h, c // h
        self.ln1, self.ln2 = nn.LayerNorm(c, eps=1e-5), nn.LayerNorm(c, eps=1e-5)
        self.q, self.k, self.v, self.o = (nn.Linear(c, c) for _ in range(4))
        self.fc, self.pr = nn.Linear(c, 4 * c), nn.Linear(4 * c, c)

    def forward(self, x):
        B, T, C = x.shape
        u = self.ln1(x)
        q, k, v = (f(u).view(B, T, self.h, self.d) for f in (self.q, self.k, self.v))
        a = torch.einsum("bthd,bshd->bhts", q, k) / self.d**0.5
        i = torch.arange(T, device=x.device)
        a = torch.where(i[:, None] >= i[None, :], a, float("-inf")).softmax(-1)
        x = x + self.o(torch.einsum("bhts,bshd->bthd", a, v).reshape(B, T, C))
        return x + self.pr(F.gelu(self.fc(self.ln2(x))))


class MiniGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers, dropout=0.0):
        super().__init__()
        self.block_size = block_size
        self.wte = nn.Parameter(0.02 * torch.randn(vocab_size, hidden_dim))
        self.wpe = nn.Parameter(0.02 * torch.randn(block_size, hidden_dim))
        self.layers = nn.ModuleList([Layer(hidden_dim, num_heads) for _ in range(num_layers)])
        self.ln_f = nn.LayerNorm(hidden_dim, eps=1e-5)

    def forward(self, tokens):
        x = self.wte[tokens] + self.wpe[: tokens.shape[1]]
        for layer in self.layers:
            x = layer(x)
        return self.ln_f(x) @ self.wte.T


def next_token_loss(logits, tokens):
    logp = F.log_softmax(logits[:, :-1], dim=-1)
    goal = tokens[:, 1:]
    keep = goal != PADDING
    nll = -logp.gather(2, goal.unsqueeze(2)).squeeze(2)
    return (nll * keep).sum() / keep.sum()


def train(model, tokens, steps, learning_rate):
    model.train()
    opt = torch.optim.AdamW(model.parameters(), lr=learning_rate)
    sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda k: 1 - k / steps)
    history = []
    for _ in range(steps):
        loss = next_token_loss(model(tokens), tokens)
        opt.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=1)
        opt.step()
        sched.step()
        history.append(float(loss.detach()))
    return history


def next_token_probabilities(logits, temperature):
    return F.softmax(logits[:, -1, :] / temperature, dim=-1)


@torch.no_grad()
def generate(model, tokens, count, temperature=0.0):
    model.eval()
    text = tokens
    while text.shape[1] < tokens.shape[1] + count:
        window = text[:, : model.block_size]
        logits = model(window)
        if temperature > 0:
            nxt = torch.multinomial(next_token_probabilities(logits, temperature), 1)
        else:
            nxt = logits[:, -1:].argmax(-1)
        text = torch.cat((text, nxt), dim=1)
    return text
