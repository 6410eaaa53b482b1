import torch
from torch import nn
from torch.nn import functional as F

PADDING = 0


def make_block(d):
    return nn.ModuleDict({
        "a_norm": nn.LayerNorm(d), "a_in": nn.Linear(d, 3 * d), "a_out": nn.Linear(d, d),
        "m_norm": nn.LayerNorm(d), "m_in": nn.Linear(d, 4 * d), "m_out": nn.Linear(4 * d, d),
    })


def run_block(b, x, heads):
    B, T, D = x.shape
    q, k, v = b["a_in"](b["a_norm"](x)).view(B, T, heads, D // heads, 3).unbind(-1)
    s = torch.einsum("bihd,bjhd->bhij", q, k) * (D // heads) ** -0.5
    hide = torch.ones(T, T, device=x.device, dtype=torch.bool).triu(1)
    w = torch.softmax(s.masked_fill(hide, float("-inf")), dim=-1)
    x = x + b["a_out"](torch.einsum("bhij,bjhd->bihd", w, v).reshape(B, T, D))
    return x + b["m_out"](F.gelu(b["m_in"](b["m_norm"](x))))


class MiniGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers, dropout=0.0):
        super().__init__()
        self.block_size, self.num_heads, self.dropout = block_size, num_heads, dropout
        self.wte = nn.Parameter(torch.randn(vocab_size, hidden_dim) * 0.02)
        self.wpe = nn.Parameter(torch.randn(block_size, hidden_dim) * 0.02)
        self.stack = nn.ModuleList([make_block(hidden_dim) for _ in range(num_layers)])
        self.last = nn.LayerNorm(hidden_dim)

    def forward(self, tokens):
        x = self.wte[tokens] + self.wpe[:tokens.shape[1]].unsqueeze(0)
        x = F.dropout(x, self.dropout, self.training)
        for b in self.stack:
            x = run_block(b, x, self.num_heads)
        return torch.matmul(self.last(x), self.wte.T)


def next_token_loss(logits, tokens):
    guess = logits[:, :-1].flatten(0, 1)
    truth = tokens[:, 1:].flatten()
    return F.cross_entropy(guess, truth, ignore_index=PADDING)


class Trainer:
    def __init__(self, model, steps, learning_rate):
        self.model, self.steps, self.peak = model, steps, learning_rate
        self.opt = torch.optim.AdamW(model.parameters(), lr=learning_rate)
        self.done = 0

    def clip(self, limit=1.0):
        for p in self.model.parameters():
            if p.grad is not None:
                nn.utils.clip_grad_norm_(p, limit)

    def step(self, tokens):
        for group in self.opt.param_groups:
            group["lr"] = self.peak * (1 - self.done / self.steps)
        self.opt.zero_grad()
        loss = next_token_loss(self.model(tokens), tokens)
        loss.backward()
        self.clip()
        self.opt.step()
        self.done += 1
        return loss.item()


def train(model, tokens, steps, learning_rate):
    model.train()
    trainer = Trainer(model, steps, learning_rate)
    return [trainer.step(tokens) for _ in range(steps)]


def next_token_probabilities(logits, temperature):
    scaled = logits[:, -1, :] / temperature
    return torch.softmax(scaled, dim=-1)


@torch.no_grad()
def generate(model, tokens, count, temperature=0.0):
    model.eval()
    greedy = temperature == 0
    for _ in range(count):
        logits = model(tokens[:, -model.block_size:])
        pick = logits[:, -1].argmax(-1) if greedy else next_token_probabilities(logits, temperature).multinomial(1).squeeze(1)
        tokens = torch.cat([tokens, pick.unsqueeze(1)], dim=1)
    return tokens
