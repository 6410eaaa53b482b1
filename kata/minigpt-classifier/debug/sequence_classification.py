import torch
import torch.nn as nn
import torch.nn.functional as F


class SelfAttention(nn.Module):
    def __init__(self, n_embd, n_head):
        super().__init__()
        self.n_head = n_head
        self.head_size = n_embd // n_head
        self.c_attn = nn.Linear(n_embd, 3 * n_embd)
        self.c_proj = nn.Linear(n_embd, n_embd)

    def forward(self, x, attention_mask):
        B, T, C = x.size()
        q, k, v = self.c_attn(x).split(C, dim=2)
        q = q.view(B, T, self.n_head, self.head_size).transpose(1, 2)
        k = k.view(B, T, self.n_head, self.head_size).transpose(1, 2)
        v = v.view(B, T, self.n_head, self.head_size).transpose(1, 2)
        scores = torch.matmul(q, k.transpose(-1, -2)) * self.head_size**-0.5
        causal = torch.tril(torch.ones(T, T, device=x.device))
        keep = causal * attention_mask[:, None, None, :]
        scores = scores.masked_fill(keep == 0, -1e4)
        probs = F.softmax(scores, dim=-1)
        context = torch.matmul(probs, v).transpose(1, 2).contiguous().view(B, T, C)
        return self.c_proj(context)


class Layer(nn.Module):
    def __init__(self, n_embd, n_head):
        super().__init__()
        self.ln_1 = nn.LayerNorm(n_embd)
        self.attn = SelfAttention(n_embd, n_head)
        self.ln_2 = nn.LayerNorm(n_embd)
        self.fc_in = nn.Linear(n_embd, 4 * n_embd)
        self.fc_out = nn.Linear(4 * n_embd, n_embd)

    def forward(self, x, attention_mask):
        x = x + self.attn(self.ln_1(x), attention_mask)
        h = F.gelu(self.fc_in(self.ln_2(x)))
        return x + self.fc_out(h)


class GPTForSequenceClassification(nn.Module):
    def __init__(self, vocab_size, n_positions, n_embd, n_head, n_layer, num_labels):
        super().__init__()
        self.wte = nn.Embedding(vocab_size, n_embd)
        self.wpe = nn.Embedding(n_positions, n_embd)
        self.h = nn.ModuleList([Layer(n_embd, n_head) for _ in range(n_layer)])
        self.ln_f = nn.LayerNorm(n_embd)
        self.score = nn.Linear(n_embd, num_labels)

    def forward(self, input_ids, attention_mask):
        attention_mask = (attention_mask != 0).to(self.wte.weight.dtype)
        position_ids = attention_mask.long().cumsum(dim=1) - 1
        position_ids = position_ids.clamp(min=0)
        x = self.wte(input_ids) + self.wpe(position_ids)
        for layer in self.h:
            x = layer(x, attention_mask)
        x = self.ln_f(x)
        summed = (x * attention_mask.unsqueeze(-1)).sum(dim=1)
        counts = attention_mask.sum(dim=1, keepdim=True)
        mean = summed / counts
        return self.score(mean)
