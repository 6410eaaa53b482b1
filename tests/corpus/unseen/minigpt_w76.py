# my GPT from the "build it yourself" playlist, cleaned up
import torch
from torch import nn
from torch.nn import functional as F

PADDING = 0


class MultiHead(nn.Module):
    def __init__(self, n_embed, n_heads, block_size, dropout):
        super().__init__()
        self.n_heads = n_heads
        self.qkv = nn.Linear(n_embed, 3 * n_embed, bias=False)
        self.proj = nn.Linear(n_embed, n_embed)
        self.drop = nn.Dropout(dropout)
        self.register_buffer(
            "bias", torch.ones(block_size, block_size).tril().bool(), persistent=False
        )

    def forward(self, x):
        B, T, C = x.shape
        q, k, v = self.qkv(x).split(C, dim=-1)
        q, k, v = [t.view(B, T, self.n_heads, C // self.n_heads).transpose(1, 2) for t in (q, k, v)]
        wei = (q @ k.transpose(-2, -1)) * (C // self.n_heads) ** -0.5
        wei = wei.masked_fill(self.bias[:T, :T].logical_not(), float("-inf"))
        wei = self.drop(F.softmax(wei, dim=-1))
        return self.proj((wei @ v).transpose(1, 2).reshape(B, T, C))


class Block(nn.Module):
    def __init__(self, n_embed, n_heads, block_size, dropout):
        super().__init__()
        self.ln1 = nn.LayerNorm(n_embed)
        self.sa = MultiHead(n_embed, n_heads, block_size, dropout)
        self.ln2 = nn.LayerNorm(n_embed)
        self.ff = nn.Sequential(
            nn.Linear(n_embed, 4 * n_embed), nn.GELU(), nn.Linear(4 * n_embed, n_embed)
        )

    def forward(self, x):
        x = x + self.sa(self.ln1(x))
        return x + self.ff(self.ln2(x))


class MiniGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers, dropout=0.0):
        super().__init__()
        self.block_size = block_size
        self.token_table = nn.Embedding(vocab_size, hidden_dim)
        self.position_table = nn.Embedding(block_size, hidden_dim)
        self.blocks = nn.Sequential(
            *(Block(hidden_dim, num_heads, block_size, dropout) for _ in range(num_layers))
        )
        self.ln_f = nn.LayerNorm(hidden_dim)
        self.lm_head = nn.Linear(hidden_dim, vocab_size, bias=False)
        self.lm_head.weight.data = self.token_table.weight.data  # weight tying

    def forward(self, tokens):
        T = tokens.shape[1]
        x = self.token_table(tokens) + self.position_table(torch.arange(T, device=tokens.device))
        return self.lm_head(self.ln_f(self.blocks(x)))


def next_token_loss(logits, tokens):
    logits = logits[:, :-1].contiguous()
    targets = tokens[:, 1:].contiguous()
    return F.cross_entropy(
        logits.view(-1, logits.size(-1)), targets.view(-1), ignore_index=PADDING
    )


def train(model, tokens, steps, learning_rate):
    model.train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=learning_rate)
    losses = []
    for step in range(steps):
        optimizer.param_groups[0]["lr"] = learning_rate * (1 - step / steps)
        loss = next_token_loss(model(tokens), tokens)
        losses.append(loss.item())
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
    return losses


def next_token_probabilities(logits, temperature):
    return (logits[:, -1, :] / temperature).softmax(dim=-1)


@torch.no_grad()
def generate(model, tokens, count, temperature=0.0):
    model.eval()
    for _ in range(count):
        logits = model(tokens[:, -model.block_size :])
        if temperature == 0:
            nxt = logits[:, -1, :].argmax(dim=-1, keepdim=True)
        else:
            nxt = torch.multinomial(next_token_probabilities(logits, temperature), num_samples=1)
        tokens = torch.cat([tokens, nxt], dim=1)
    return tokens
