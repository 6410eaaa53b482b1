# wrong: minigpt-classifier mean-by-length line 84
"""GPT-2 with a head as transformers would have it: the sum is over the real tokens."""

import torch
import torch.nn as nn
from torch.nn import functional as F


class GPT2Attention(nn.Module):
    def __init__(self, embed_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.head_size = embed_dim // num_heads
        self.c_attn = nn.Linear(embed_dim, 3 * embed_dim)
        self.c_proj = nn.Linear(embed_dim, embed_dim)

    def _split(self, x):
        return x.view(*x.shape[:2], self.num_heads, self.head_size).permute(0, 2, 1, 3)

    def forward(self, hidden_states, attention_mask):
        q, k, v = map(self._split, self.c_attn(hidden_states).chunk(3, dim=-1))
        scores = torch.matmul(q, k.transpose(-1, -2)) / self.head_size**0.5
        scores = scores + attention_mask
        probs = F.softmax(scores, dim=-1)
        out = torch.matmul(probs, v).permute(0, 2, 1, 3).contiguous()
        return self.c_proj(out.view(*out.shape[:2], -1))


class GPT2MLP(nn.Module):
    def __init__(self, embed_dim):
        super().__init__()
        self.c_fc = nn.Linear(embed_dim, 4 * embed_dim)
        self.c_proj = nn.Linear(4 * embed_dim, embed_dim)

    def forward(self, x):
        return self.c_proj(F.gelu(self.c_fc(x)))


class GPT2Block(nn.Module):
    def __init__(self, embed_dim, num_heads):
        super().__init__()
        self.ln_1 = nn.LayerNorm(embed_dim)
        self.attn = GPT2Attention(embed_dim, num_heads)
        self.ln_2 = nn.LayerNorm(embed_dim)
        self.mlp = GPT2MLP(embed_dim)

    def forward(self, x, attention_mask):
        x = x + self.attn(self.ln_1(x), attention_mask)
        return x + self.mlp(self.ln_2(x))


class GPT2Model(nn.Module):
    def __init__(self, vocab_size, n_positions, n_embd, n_head, n_layer):
        super().__init__()
        self.wte = nn.Embedding(vocab_size, n_embd)
        self.wpe = nn.Embedding(n_positions, n_embd)
        self.h = nn.ModuleList([GPT2Block(n_embd, n_head) for _ in range(n_layer)])
        self.ln_f = nn.LayerNorm(n_embd)

    def forward(self, input_ids, attention_mask, position_ids):
        x = self.wte(input_ids) + self.wpe(position_ids)
        length = input_ids.size(1)
        causal = torch.tril(torch.ones(length, length, dtype=torch.bool, device=x.device))
        visible = causal[None, None] & attention_mask[:, None, None, :].bool()
        bias = torch.zeros_like(visible, dtype=x.dtype).masked_fill(~visible, -1e4)
        for block in self.h:
            x = block(x, bias)
        return self.ln_f(x)


class GPT2ForSequenceClassification(nn.Module):
    def __init__(self, vocab_size, n_positions, n_embd, n_head, n_layer, num_labels):
        super().__init__()
        self.transformer = GPT2Model(vocab_size, n_positions, n_embd, n_head, n_layer)
        self.score = nn.Linear(n_embd, num_labels)

    def forward(self, input_ids, attention_mask):
        position_ids = attention_mask.long().cumsum(-1) - 1
        position_ids.masked_fill_(attention_mask == 0, 1)
        position_ids = position_ids.clamp(max=self.transformer.wpe.num_embeddings - 1)
        hidden_states = self.transformer(input_ids, attention_mask, position_ids)
        expanded = attention_mask.unsqueeze(-1).expand(hidden_states.size()).to(hidden_states.dtype)
        summed = (hidden_states * expanded).sum(1)
        return self.score(summed / input_ids.size(1))
