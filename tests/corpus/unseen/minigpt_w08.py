# A tiny language model in one file. 一个文件里的小 GPT
import torch
from torch import nn
from torch.nn import functional as F

PADDING = 0


class Attn(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.h = h
        self.q, self.k, self.v, self.o = (nn.Linear(d, d, bias=False) for _ in range(4))

    def forward(self, x):
        q, k, v = [f(x).unflatten(-1, (self.h, -1)) for f in (self.q, self.k, self.v)]
        a = torch.einsum("bqhe,bkhe->bhqk", q, k) / q.shape[-1] ** 0.5
        t = x.shape[1]
        a = a + torch.full((t, t), float("-inf"), device=x.device, dtype=a.dtype).triu(1)
        y = torch.einsum("bhqk,bkhe->bqhe", a.softmax(-1), v)
        return self.o(y.flatten(2))


class Layer(nn.Module):
    def __init__(self, d, h, p):
        super().__init__()
        self.n1, self.n2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.attn = Attn(d, h)
        self.fc1, self.fc2 = nn.Linear(d, 4 * d), nn.Linear(4 * d, d)
        self.p = p

    def forward(self, x):
        x = x + F.dropout(self.attn(self.n1(x)), self.p, self.training)
        return x + F.dropout(self.fc2(F.gelu(self.fc1(self.n2(x)))), self.p, self.training)


class MiniGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers, dropout=0.0):
        super().__init__()
        self.block_size = block_size
        self.table = nn.Parameter(torch.randn(vocab_size, hidden_dim) * 0.02)
        self.pos = nn.Parameter(torch.randn(block_size, hidden_dim) * 0.02)
        self.layers = nn.ModuleList([Layer(hidden_dim, num_heads, dropout) for _ in range(num_layers)])
        self.norm = nn.LayerNorm(hidden_dim)

    def forward(self, tokens):
        x = self.table[tokens] + self.pos[: tokens.shape[1]]
        for layer in self.layers:
            x = layer(x)
        return self.norm(x) @ self.table.T


def next_token_loss(logits, tokens):
    logp = logits[:, :-1].log_softmax(-1)
    target = tokens[:, 1:]
    nll = -logp.gather(-1, target.unsqueeze(-1)).squeeze(-1)
    real = (target != PADDING).to(nll.dtype)
    return (nll * real).sum() / real.sum()


def train(model, tokens, steps, learning_rate):
    model.train()
    optim = torch.optim.AdamW(model.parameters(), lr=learning_rate)
    curve = []
    for k in range(steps):
        optim.param_groups[0]["lr"] = learning_rate * (1 - k / steps)
        optim.zero_grad()
        loss = next_token_loss(model(tokens), tokens)
        loss.backward()
        # 梯度裁剪
        for p in model.parameters():
            nn.utils.clip_grad_norm_(p, 1.0)
        optim.step()
        curve.append(loss.item())
    return curve


def next_token_probabilities(logits, temperature):
    return (logits[:, -1] / temperature).softmax(-1)


def generate(model, tokens, count, temperature=0.0):
    model.eval()
    with torch.inference_mode():
        for _ in range(count):
            window = tokens[:, -model.block_size :]
            logits = model(window)
            if temperature == 0:
                new = logits[:, -1].argmax(-1)
            else:
                new = torch.multinomial(next_token_probabilities(logits, temperature), 1).squeeze(1)
            tokens = torch.cat([tokens, new[:, None]], 1)
    return tokens
