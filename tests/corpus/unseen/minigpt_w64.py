# modelled on transformers' modeling_gpt2.py
import torch
import torch.nn.functional as F
from torch import nn

PADDING = 0


class Conv1D(nn.Module):
    """y = x @ w + b, the weight is (in, out)"""

    def __init__(self, nf, nx):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(nx, nf))
        self.bias = nn.Parameter(torch.zeros(nf))
        nn.init.normal_(self.weight, std=0.02)

    def forward(self, x):
        size_out = x.size()[:-1] + (self.weight.size(1),)
        return torch.addmm(self.bias, x.reshape(-1, x.size(-1)), self.weight).view(size_out)


class GPT2Attention(nn.Module):
    def __init__(self, hidden_size, num_heads, attn_pdrop):
        super().__init__()
        self.embed_dim, self.num_heads = hidden_size, num_heads
        self.c_attn = Conv1D(3 * hidden_size, hidden_size)
        self.c_proj = Conv1D(hidden_size, hidden_size)
        self.attn_dropout = nn.Dropout(attn_pdrop)

    def _split_heads(self, tensor):
        return tensor.view(*tensor.shape[:-1], self.num_heads, -1).permute(0, 2, 1, 3)

    def forward(self, hidden_states):
        query, key, value = map(self._split_heads, self.c_attn(hidden_states).split(self.embed_dim, dim=2))
        attn_weights = torch.matmul(query, key.transpose(-1, -2)) / value.size(-1) ** 0.5
        n = attn_weights.size(-1)
        causal_mask = torch.ones(n, n, device=query.device).tril().bool()
        mask_value = torch.full([], torch.finfo(attn_weights.dtype).min, dtype=attn_weights.dtype, device=query.device)
        attn_weights = torch.where(causal_mask, attn_weights, mask_value)
        attn_weights = self.attn_dropout(attn_weights.softmax(dim=-1))
        merged = torch.matmul(attn_weights, value).permute(0, 2, 1, 3).contiguous()
        return self.c_proj(merged.view(hidden_states.shape))


class GPT2Block(nn.Module):
    def __init__(self, hidden_size, num_heads, pdrop):
        super().__init__()
        self.ln_1 = nn.LayerNorm(hidden_size, eps=1e-5)
        self.attn = GPT2Attention(hidden_size, num_heads, pdrop)
        self.ln_2 = nn.LayerNorm(hidden_size, eps=1e-5)
        self.mlp = nn.Sequential(
            Conv1D(4 * hidden_size, hidden_size), nn.GELU(), Conv1D(hidden_size, 4 * hidden_size), nn.Dropout(pdrop)
        )

    def forward(self, hidden_states):
        hidden_states = hidden_states + self.attn(self.ln_1(hidden_states))
        return hidden_states + self.mlp(self.ln_2(hidden_states))


class MiniGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers, dropout=0.0):
        super().__init__()
        self.block_size = block_size
        self.wte = nn.Embedding(vocab_size, hidden_dim)
        self.wpe = nn.Embedding(block_size, hidden_dim)
        self.drop = nn.Dropout(dropout)
        self.h = nn.ModuleList([GPT2Block(hidden_dim, num_heads, dropout) for _ in range(num_layers)])
        self.ln_f = nn.LayerNorm(hidden_dim, eps=1e-5)
        self.lm_head = nn.Linear(hidden_dim, vocab_size, bias=False)
        self.wte.weight.data.normal_(mean=0.0, std=0.02)
        self.wpe.weight.data.normal_(mean=0.0, std=0.02)
        self.tie_weights()

    def tie_weights(self):
        self.lm_head.weight.data = self.wte.weight.data

    def forward(self, tokens):
        position_ids = torch.arange(tokens.size(-1), device=tokens.device).unsqueeze(0)
        hidden_states = self.drop(self.wte(tokens) + self.wpe(position_ids))
        for block in self.h:
            hidden_states = block(hidden_states)
        return self.lm_head(self.ln_f(hidden_states))


def next_token_loss(logits, tokens):
    shift_logits = logits[..., :-1, :].contiguous()
    shift_labels = tokens[..., 1:].contiguous()
    loss_fct = nn.CrossEntropyLoss(ignore_index=PADDING)
    return loss_fct(shift_logits.view(-1, shift_logits.size(-1)), shift_labels.view(-1))


def train(model, tokens, steps, learning_rate):
    model.train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=learning_rate)
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda s: 1.0 - s / steps)
    history = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = next_token_loss(model(tokens), tokens)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step(), scheduler.step()
        history.append(loss.item())
    return history


def next_token_probabilities(logits, temperature):
    return F.softmax(logits[:, -1, :] / temperature, dim=-1)


@torch.no_grad()
def generate(model, tokens, count, temperature=0.0):
    model.eval()
    for _ in range(count):
        logits = model(tokens[:, -model.block_size :])
        greedy = logits[:, -1].argmax(-1, keepdim=True)
        drawn = torch.multinomial(next_token_probabilities(logits, temperature), 1) if temperature > 0 else greedy
        tokens = torch.cat([tokens, drawn], dim=-1)
    return tokens
