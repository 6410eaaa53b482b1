# right: minigpt-cache
import torch
from torch import nn
from torch.nn import functional as F


class Head(nn.Module):
    def __init__(self, n_embd, head_size):
        super().__init__()
        self.key = nn.Linear(n_embd, head_size, bias=False)
        self.query = nn.Linear(n_embd, head_size, bias=False)
        self.value = nn.Linear(n_embd, head_size, bias=False)

    def forward(self, x, past):
        k, q, v = self.key(x), self.query(x), self.value(x)
        if past is not None:
            k = torch.cat([past[0], k], dim=1)
            v = torch.cat([past[1], v], dim=1)
        wei = q @ k.transpose(-2, -1) * k.shape[-1] ** -0.5
        T, S = wei.shape[1:]
        tril = torch.tril(torch.ones(T, S, device=x.device), diagonal=S - T)
        wei = wei.masked_fill(tril == 0, float("-inf"))
        return F.softmax(wei, dim=-1) @ v, (k, v)


class MultiHead(nn.Module):
    def __init__(self, n_embd, n_head):
        super().__init__()
        self.heads = nn.ModuleList([Head(n_embd, n_embd // n_head) for _ in range(n_head)])
        self.proj = nn.Linear(n_embd, n_embd)

    def forward(self, x, past):
        past = past or [None] * len(self.heads)
        outs, present = zip(*[head(x, one) for head, one in zip(self.heads, past)])
        return self.proj(torch.cat(outs, dim=-1)), list(present)


class FeedForward(nn.Module):
    def __init__(self, n_embd):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(n_embd, 4 * n_embd), nn.GELU(), nn.Linear(4 * n_embd, n_embd))

    def forward(self, x):
        return self.net(x)


class Block(nn.Module):
    def __init__(self, n_embd, n_head):
        super().__init__()
        self.sa = MultiHead(n_embd, n_head)
        self.ffwd = FeedForward(n_embd)
        self.ln1 = nn.LayerNorm(n_embd)
        self.ln2 = nn.LayerNorm(n_embd)

    def forward(self, x, past):
        y, present = self.sa(self.ln1(x), past)
        x = x + y
        return x + self.ffwd(self.ln2(x)), present


class GPTLanguageModel(nn.Module):
    def __init__(self, vocab_size, block_size, n_embd, n_head, n_layer):
        super().__init__()
        self.token_embedding_table = nn.Embedding(vocab_size, n_embd)
        self.position_embedding_table = nn.Embedding(block_size, n_embd)
        self.blocks = nn.ModuleList([Block(n_embd, n_head) for _ in range(n_layer)])
        self.ln_f = nn.LayerNorm(n_embd)

    def forward(self, idx, past=None):
        done = past[0][0][0].shape[1] if past else 0
        tok_emb = self.token_embedding_table(idx)
        pos_emb = self.position_embedding_table(torch.arange(done, done + idx.shape[1], device=idx.device))
        x = tok_emb + pos_emb
        presents = []
        for i, block in enumerate(self.blocks):
            x, present = block(x, past[i] if past else None)
            presents.append(present)
        x = self.ln_f(x)
        return F.linear(x, self.token_embedding_table.weight), presents


@torch.no_grad()
def generate(model, idx, max_new_tokens):
    """Prefill goes one token at a time too: slower, and the same numbers."""
    model.eval()
    past = None
    for t in range(idx.shape[1]):
        logits, past = model(idx[:, t : t + 1], past)
    for _ in range(max_new_tokens):
        idx_next = torch.argmax(logits[:, -1], dim=-1, keepdim=True)
        idx = torch.cat((idx, idx_next), dim=1)
        logits, past = model(idx_next, past)
    return idx
