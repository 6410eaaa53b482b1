import torch
import torch.nn as nn
import torch.nn.functional as F

PADDING = 0


class _Attn(nn.Module):
    def __init__(self, c, h):
        super().__init__()
        self.h = h
        self.c_attn = nn.Linear(c, 3 * c)
        self.c_proj = nn.Linear(c, c)

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = self.c_attn(x).view(b, t, 3, self.h, c // self.h).permute(2, 0, 3, 1, 4)
        w = q @ k.transpose(-2, -1) * (c // self.h) ** -0.5
        w = w.masked_fill(torch.ones(t, t, device=x.device).tril() == 0, float("-inf"))
        return self.c_proj((w.softmax(-1) @ v).transpose(1, 2).reshape(b, t, c))


class _Block(nn.Module):
    def __init__(self, c, h):
        super().__init__()
        self.ln_1, self.attn, self.ln_2 = nn.LayerNorm(c), _Attn(c, h), nn.LayerNorm(c)
        self.fc, self.proj = nn.Linear(c, 4 * c), nn.Linear(4 * c, c)

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        return x + self.proj(F.gelu(self.fc(self.ln_2(x))))


class MiniGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers, dropout=0.0):
        super().__init__()
        self.block_size = block_size
        self.wte = nn.Embedding(vocab_size, hidden_dim)
        self.wpe = nn.Embedding(block_size, hidden_dim)
        self.drop = nn.Dropout(dropout)
        self.h = nn.Sequential(*(_Block(hidden_dim, num_heads) for _ in range(num_layers)))
        self.ln_f = nn.LayerNorm(hidden_dim)

    def forward(self, tokens):
        pos = torch.arange(tokens.size(1), device=tokens.device)
        x = self.h(self.drop(self.wte(tokens) + self.wpe(pos)))
        return F.linear(self.ln_f(x), self.wte.weight)


def next_token_loss(logits, tokens):
    guess, target = logits[:, :-1], tokens[:, 1:]
    return F.cross_entropy(guess.transpose(1, 2), target, ignore_index=PADDING)


def train(model, tokens, steps, learning_rate):
    model.train()
    opt = torch.optim.AdamW(model.parameters(), lr=learning_rate)
    sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda k: 1 - k / steps)
    history = []
    for _ in range(steps):
        opt.zero_grad(set_to_none=True)
        loss = next_token_loss(model(tokens), tokens)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        sched.step()
        history.append(loss.item())
    return history


def next_token_probabilities(logits, temperature):
    return F.softmax(logits[:, -1, :] / temperature, dim=-1)


@torch.no_grad()
def generate(model, tokens, count, temperature=0.0):
    model.eval()
    text = context = tokens
    for _ in range(count):
        if context.size(1) > model.block_size:
            context = context[:, 1:]
        logits = model(context)
        if temperature == 0:
            new = logits[:, -1].argmax(-1, keepdim=True)
        else:
            new = torch.multinomial(next_token_probabilities(logits, temperature), 1)
        text, context = torch.cat([text, new], 1), torch.cat([context, new], 1)
    return text
