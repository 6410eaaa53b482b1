"""A body of its own: HF GPT-2 names, additive masks, position_ids from a cumulative sum."""
import torch
from torch import nn


class Conv1D(nn.Module):
    def __init__(self, nf, nx):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(nx, nf) * 0.02)
        self.bias = nn.Parameter(torch.zeros(nf))

    def forward(self, x):
        return torch.matmul(x, self.weight) + self.bias


class GPT2Block(nn.Module):
    def __init__(self, n_embd, n_head):
        super().__init__()
        self.n_head = n_head
        self.ln_1 = nn.LayerNorm(n_embd, eps=1e-5)
        self.c_attn = Conv1D(3 * n_embd, n_embd)
        self.c_proj = Conv1D(n_embd, n_embd)
        self.ln_2 = nn.LayerNorm(n_embd, eps=1e-5)
        self.c_fc = Conv1D(4 * n_embd, n_embd)
        self.c_back = Conv1D(n_embd, 4 * n_embd)
        self.act = nn.GELU()

    def attn(self, hidden_states, attention_mask):
        b, t, c = hidden_states.shape
        query, key, value = self.c_attn(hidden_states).split(c, dim=2)
        query, key, value = (x.view(b, t, self.n_head, c // self.n_head).permute(0, 2, 1, 3) for x in (query, key, value))
        w = torch.matmul(query, key.transpose(-1, -2)) / (c // self.n_head) ** 0.5
        w = torch.where(attention_mask, w, torch.full_like(w, torch.finfo(w.dtype).min)).softmax(dim=-1)
        a = torch.matmul(w, value).permute(0, 2, 1, 3).reshape(b, t, c)
        return self.c_proj(a)

    def forward(self, hidden_states, attention_mask):
        hidden_states = hidden_states + self.attn(self.ln_1(hidden_states), attention_mask)
        return hidden_states + self.c_back(self.act(self.c_fc(self.ln_2(hidden_states))))


class GPTClassifier(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers, num_classes):
        super().__init__()
        self.wte = nn.Embedding(vocab_size, hidden_dim)
        self.wpe = nn.Embedding(block_size, hidden_dim)
        self.h = nn.ModuleList([GPT2Block(hidden_dim, num_heads) for _ in range(num_layers)])
        self.ln_f = nn.LayerNorm(hidden_dim, eps=1e-5)
        self.score = nn.Linear(hidden_dim, num_classes, bias=True)

    def forward(self, tokens, mask):
        keep = mask.bool()
        position_ids = keep.long().cumsum(-1) - 1
        position_ids = position_ids.masked_fill(~keep, 0)
        t = tokens.size(1)
        causal = torch.ones(t, t, dtype=torch.bool, device=tokens.device).tril()
        attention_mask = causal & keep[:, None, None, :]
        x = self.wte(tokens) + self.wpe(position_ids)
        for block in self.h:
            x = block(x, attention_mask)
        x = self.ln_f(x)
        # mean over real tokens as one small product: (b, 1, t) @ (b, t, c)
        shares = keep.to(x.dtype)
        pooled = torch.bmm((shares / shares.sum(1, keepdim=True)).unsqueeze(1), x).squeeze(1)
        return self.score(pooled)
