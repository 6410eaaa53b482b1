import math

import torch
from torch import nn


class NewGELUActivation(nn.Module):
    def forward(self, input):
        return 0.5 * input * (1.0 + torch.tanh(math.sqrt(2.0 / math.pi) * (input + 0.044715 * input ** 3)))


ACT2FN = {"gelu_new": NewGELUActivation}


class GPT2MLP(nn.Module):
    def __init__(self, embed_dim, activation_function="gelu_new"):
        super().__init__()
        self.c_fc = nn.Linear(embed_dim, 4 * embed_dim)
        self.c_proj = nn.Linear(4 * embed_dim, embed_dim)
        self.act = ACT2FN[activation_function]()

    def forward(self, hidden_states):
        return self.c_proj(self.act(self.c_fc(hidden_states)))


class GPT2Block(nn.Module):
    def __init__(self, embed_dim, num_heads):
        super().__init__()
        self.num_heads, self.head_dim = num_heads, embed_dim // num_heads
        self.ln_1 = nn.LayerNorm(embed_dim, eps=1e-5)
        self.c_attn = nn.Linear(embed_dim, 3 * embed_dim)
        self.c_proj = nn.Linear(embed_dim, embed_dim)
        self.ln_2 = nn.LayerNorm(embed_dim, eps=1e-5)
        self.mlp = GPT2MLP(embed_dim)

    def attn(self, hidden_states, attention_mask):
        b, n, e = hidden_states.shape
        query, key, value = self.c_attn(hidden_states).split(e, dim=2)
        query, key, value = (
            t.view(b, n, self.num_heads, self.head_dim).transpose(1, 2) for t in (query, key, value)
        )
        attn_weights = torch.matmul(query, key.transpose(-1, -2)) / math.sqrt(self.head_dim)
        attn_weights = attn_weights.masked_fill(~attention_mask, torch.finfo(attn_weights.dtype).min)
        attn_output = torch.matmul(attn_weights.softmax(dim=-1), value)
        return self.c_proj(attn_output.transpose(1, 2).reshape(b, n, e))

    def forward(self, hidden_states, attention_mask):
        hidden_states = hidden_states + self.attn(self.ln_1(hidden_states), attention_mask)
        return hidden_states + self.mlp(self.ln_2(hidden_states))


class GPTClassifier(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers, num_classes):
        super().__init__()
        self.wte = nn.Embedding(vocab_size, hidden_dim)
        self.wpe = nn.Embedding(block_size, hidden_dim)
        self.h = nn.ModuleList([GPT2Block(hidden_dim, num_heads) for _ in range(num_layers)])
        self.ln_f = nn.LayerNorm(hidden_dim, eps=1e-5)
        self.score = nn.Linear(hidden_dim, num_classes)

    def forward(self, tokens, mask):
        input_ids, attention_mask = tokens, mask.to(torch.bool)
        position_ids = attention_mask.long().cumsum(-1) - 1
        position_ids = position_ids.masked_fill(~attention_mask, 0)
        n = input_ids.shape[1]
        causal = torch.ones(n, n, dtype=torch.bool, device=input_ids.device).tril()
        mask = causal[None, None] & attention_mask[:, None, None, :]

        hidden_states = self.wte(input_ids) + self.wpe(position_ids)
        for block in self.h:
            hidden_states = block(hidden_states, mask)
        hidden_states = self.ln_f(hidden_states)

        keep = attention_mask.unsqueeze(-1).to(hidden_states.dtype)
        pooled = (hidden_states * keep).sum(dim=1) / keep.sum(dim=1)
        return self.score(pooled)
