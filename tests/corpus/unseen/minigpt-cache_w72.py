import torch
import torch.nn.functional as F
from torch import nn


def causal(n_new, n_all, device):
    rows = torch.arange(n_all - n_new, n_all, device=device)
    return rows[:, None] >= torch.arange(n_all, device=device)[None, :]


class Block(nn.Module):
    def __init__(self, E, H):
        super().__init__()
        self.H, self.D = H, E // H
        self.norm_a = nn.LayerNorm(E)
        self.norm_m = nn.LayerNorm(E)
        self.Wqkv = nn.Linear(E, 3 * E)
        self.Wo = nn.Linear(E, E)
        self.fc = nn.Linear(E, 4 * E)
        self.fc_out = nn.Linear(4 * E, E)

    def forward(self, x, past):
        B, L, E = x.shape
        q, k, v = self.Wqkv(self.norm_a(x)).view(B, L, 3 * self.H, self.D).transpose(1, 2).chunk(3, dim=1)
        if past is not None:
            k = torch.cat((past[0], k), 2)
            v = torch.cat((past[1], v), 2)
        s = torch.einsum("bhqd,bhkd->bhqk", q, k) * self.D ** -0.5
        s = torch.where(causal(L, k.size(2), x.device), s, s.new_tensor(-torch.inf))
        a = torch.einsum("bhqk,bhkd->bqhd", s.softmax(3), v).reshape(B, L, E)
        x = x + self.Wo(a)
        return x + self.fc_out(F.gelu(self.fc(self.norm_m(x)))), (k, v)


class CachedGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers):
        super().__init__()
        self.block_size = block_size
        self.wte = nn.Embedding(vocab_size, hidden_dim)
        self.wpe = nn.Embedding(block_size, hidden_dim)
        self.body = nn.ModuleList(Block(hidden_dim, num_heads) for _ in range(num_layers))
        self.norm_f = nn.LayerNorm(hidden_dim)
        self.head = nn.Linear(hidden_dim, vocab_size, bias=False)

        for emb in (self.wte, self.wpe):
            nn.init.normal_(emb.weight, std=0.02)
        # the head is the token table
        self.head.weight.data = self.wte.weight.data

    def forward(self, tokens, cache=None):
        start = 0 if cache is None else cache[0][0].size(2)
        idx = torch.arange(start, start + tokens.size(1), device=tokens.device)
        x = self.wte(tokens) + self.wpe(idx)
        fresh = []
        for i, block in enumerate(self.body):
            x, kv = block(x, cache[i] if cache is not None else None)
            fresh.append(kv)
        return self.head(self.norm_f(x)), tuple(fresh)


@torch.no_grad()
def generate(model, tokens, count):
    model.eval()
    pieces, cache = [tokens], None
    for _ in range(count):
        logits, cache = model(pieces[-1], cache)
        pieces.append(logits[:, -1].argmax(dim=-1).unsqueeze(1))
    return torch.cat(pieces, dim=1)
