"""GPT-2 as it is known: a list of past keys and values goes in, the presents come out."""

import torch
import torch.nn as nn
from torch.nn import functional as F


class CausalSelfAttention(nn.Module):
    def __init__(self, n_embd, n_head):
        super().__init__()
        self.c_attn = nn.Linear(n_embd, 3 * n_embd)
        self.c_proj = nn.Linear(n_embd, n_embd)
        self.n_head = n_head
        self.n_embd = n_embd

    def split_heads(self, x):
        return x.view(x.size(0), x.size(1), self.n_head, self.n_embd // self.n_head).permute(0, 2, 1, 3)

    def forward(self, x, layer_past=None):
        q, k, v = self.c_attn(x).split(self.n_embd, dim=2)
        q, k, v = self.split_heads(q), self.split_heads(k), self.split_heads(v)
        if layer_past is not None:
            k = torch.cat((layer_past[0], k), dim=-2)
            v = torch.cat((layer_past[1], v), dim=-2)
        present = (k, v)
        w = torch.matmul(q, k.transpose(-1, -2)) / (v.size(-1) ** 0.5)
        nd, ns = w.size(-2), w.size(-1)
        causal = torch.tril(torch.ones(ns, ns, device=x.device)).bool()[ns - nd : ns, :ns]
        w = torch.where(causal, w, torch.full([], torch.finfo(w.dtype).min, dtype=w.dtype, device=w.device))
        a = torch.matmul(F.softmax(w, dim=-1), v)
        a = a.permute(0, 2, 1, 3).contiguous()
        a = a.view(*a.size()[:-2], self.n_embd)
        return self.c_proj(a), present


class MLP(nn.Module):
    def __init__(self, n_embd):
        super().__init__()
        self.c_fc = nn.Linear(n_embd, 4 * n_embd)
        self.c_proj = nn.Linear(4 * n_embd, n_embd)

    def forward(self, x):
        return self.c_proj(F.gelu(self.c_fc(x)))


class Block(nn.Module):
    def __init__(self, n_embd, n_head):
        super().__init__()
        self.ln_1 = nn.LayerNorm(n_embd)
        self.attn = CausalSelfAttention(n_embd, n_head)
        self.ln_2 = nn.LayerNorm(n_embd)
        self.mlp = MLP(n_embd)

    def forward(self, x, layer_past=None):
        a, present = self.attn(self.ln_1(x), layer_past=layer_past)
        x = x + a
        x = x + self.mlp(self.ln_2(x))
        return x, present


class GPT2(nn.Module):
    def __init__(self, vocab_size, n_ctx, n_embd, n_head, n_layer):
        super().__init__()
        self.wte = nn.Embedding(vocab_size, n_embd)
        self.wpe = nn.Embedding(n_ctx, n_embd)
        self.h = nn.ModuleList([Block(n_embd, n_head) for _ in range(n_layer)])
        self.ln_f = nn.LayerNorm(n_embd)

    def forward(self, input_ids, past=None):
        if past is None:
            past_length = 0
            past = [None] * len(self.h)
        else:
            past_length = past[0][0].size(-2)
        position_ids = torch.arange(past_length, input_ids.size(-1) + past_length, dtype=torch.long,
                                    device=input_ids.device).unsqueeze(0)
        hidden_states = self.wte(input_ids) + self.wpe(position_ids)
        presents = []
        for block, layer_past in zip(self.h, past):
            hidden_states, present = block(hidden_states, layer_past)
            presents.append(present)
        hidden_states = self.ln_f(hidden_states)
        return hidden_states @ self.wte.weight.t(), presents


def generate(model, input_ids, max_new_tokens):
    model.eval()
    past = None
    prev = input_ids
    output = input_ids
    with torch.no_grad():
        for _ in range(max_new_tokens):
            logits, past = model(prev, past=past)
            _, prev = torch.topk(logits[:, -1, :], k=1, dim=-1)
            output = torch.cat((output, prev), dim=1)
    return output
