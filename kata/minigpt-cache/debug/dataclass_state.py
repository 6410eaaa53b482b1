from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class State:
    """Keys and values by layer, each (layers, batch, heads, positions, head_size)."""

    keys: torch.Tensor
    values: torch.Tensor

    @property
    def length(self):
        return self.keys.shape[3]


class CausalAttention(nn.Module):
    def __init__(self, n_embd, n_head):
        super().__init__()
        self.n_head = n_head
        self.c_attn = nn.Linear(n_embd, 3 * n_embd, bias=False)
        self.c_proj = nn.Linear(n_embd, n_embd, bias=False)

    def forward(self, x, past_k, past_v):
        B, T, C = x.size()
        q, k, v = self.c_attn(x).split(C, dim=2)
        q = q.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        k = k.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        v = v.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        if past_k is not None:
            k = torch.cat([past_k, k], dim=2)
            v = torch.cat([past_v, v], dim=2)
        S = k.size(2)
        att = (q @ k.transpose(-2, -1)) / (k.size(-1) ** 0.5)
        mask = torch.tril(torch.ones(T, S, device=x.device), diagonal=S - T)
        att = att.masked_fill(mask == 0, float("-inf"))
        att = F.softmax(att, dim=-1)
        y = att @ v
        y = y.transpose(1, 2).contiguous().view(B, T, C)
        return self.c_proj(y), k, v


class Block(nn.Module):
    def __init__(self, n_embd, n_head):
        super().__init__()
        self.ln_1 = nn.LayerNorm(n_embd)
        self.attn = CausalAttention(n_embd, n_head)
        self.ln_2 = nn.LayerNorm(n_embd)
        self.c_fc = nn.Linear(n_embd, 4 * n_embd)
        self.c_out = nn.Linear(4 * n_embd, n_embd)

    def forward(self, x, past_k=None, past_v=None):
        y, k, v = self.attn(self.ln_1(x), past_k, past_v)
        x = x + y
        x = x + self.c_out(F.gelu(self.c_fc(self.ln_2(x))))
        return x, k, v


class CachedGPT(nn.Module):
    def __init__(self, vocab_size, block_size, n_embd, n_head, n_layer):
        super().__init__()
        self.wte = nn.Embedding(vocab_size, n_embd)
        self.wpe = nn.Embedding(block_size, n_embd)
        self.h = nn.ModuleList([Block(n_embd, n_head) for _ in range(n_layer)])
        self.ln_f = nn.LayerNorm(n_embd)

    def forward(self, tokens, past=None):
        begin = 0 if past is None else past.length
        pos = torch.arange(begin, begin + tokens.size(1), device=tokens.device)
        x = self.wte(tokens) + self.wpe(pos)
        keys, values = [], []
        for n, block in enumerate(self.h):
            if past is None:
                x, k, v = block(x)
            else:
                x, k, v = block(x, past.keys[n], past.values[n])
            keys.append(k)
            values.append(v)
        x = self.ln_f(x)
        logits = F.linear(x, self.wte.weight)
        return logits, State(torch.stack(keys), torch.stack(values))


@torch.no_grad()
def generate(model, tokens, count):
    model.eval()
    text = tokens
    logits, past = model(text)
    for _ in range(count - 1):
        newest = torch.argmax(logits[:, -1], dim=-1, keepdim=True)
        text = torch.cat((text, newest), dim=1)
        logits, past = model(newest, past)
    newest = torch.argmax(logits[:, -1], dim=-1, keepdim=True)
    return torch.cat((text, newest), dim=1)
