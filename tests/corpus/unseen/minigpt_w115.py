import torch
import torch.nn.functional as F
from torch import nn

PADDING = 0


class Block(nn.Module):
    """Pre-norm 模块：注意力 + 前馈网络"""

    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.norm_1 = nn.LayerNorm(dim)
        self.norm_2 = nn.LayerNorm(dim)
        self.q = nn.Linear(dim, dim)
        self.k = nn.Linear(dim, dim)
        self.v = nn.Linear(dim, dim)
        self.o = nn.Linear(dim, dim)
        self.up = nn.Linear(dim, 4 * dim)
        self.down = nn.Linear(4 * dim, dim)

    def attention(self, x):
        b, t, d = x.shape
        # 拆分成多个头: (b, 头数, t, 头维度)
        q, k, v = [f(x).view(b, t, self.heads, -1).transpose(1, 2) for f in (self.q, self.k, self.v)]
        s = q @ k.transpose(2, 3) / (d // self.heads) ** 0.5
        # 因果掩码：只能看到自己和之前的位置
        s = s.masked_fill(torch.ones(t, t, device=x.device).tril() == 0, float('-inf'))
        y = s.softmax(dim=-1) @ v
        return self.o(y.transpose(1, 2).reshape(b, t, d))

    def forward(self, x):
        x = x + self.attention(self.norm_1(x))
        return x + self.down(F.gelu(self.up(self.norm_2(x))))


class MiniGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers, dropout=0.0):
        super().__init__()
        self.block_size = block_size
        self.tok = nn.Embedding(vocab_size, hidden_dim)
        self.pos = nn.Embedding(block_size, hidden_dim)
        nn.init.normal_(self.tok.weight, std=0.02)
        self.drop = nn.Dropout(dropout)
        self.blocks = nn.Sequential(*[Block(hidden_dim, num_heads) for _ in range(num_layers)])
        self.norm = nn.LayerNorm(hidden_dim)

    def forward(self, tokens):
        t = tokens.shape[1]
        x = self.tok(tokens) + self.pos.weight[:t]
        x = self.norm(self.blocks(self.drop(x)))
        # 输出层与词嵌入共享权重
        return x @ self.tok.weight.T


def next_token_loss(logits, tokens):
    logp = F.log_softmax(logits[:, :-1], dim=-1)
    target = tokens[:, 1:]
    nll = -logp.gather(-1, target.unsqueeze(-1)).squeeze(-1)     # (b, t-1)
    real = (target != PADDING).to(nll.dtype)
    # 只统计真实的词
    per_text = (nll * real).sum(dim=1) / real.sum(dim=1)
    return per_text.mean()


def train(model, tokens, steps, learning_rate):
    opt = torch.optim.AdamW(model.parameters(), lr=learning_rate)
    model.train()
    history = []
    for step in range(steps):
        # 学习率线性下降
        for group in opt.param_groups:
            group['lr'] = learning_rate * (1 - step / steps)
        opt.zero_grad()
        loss = next_token_loss(model(tokens), tokens)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
        opt.step()
        history.append(float(loss))
    return history


def next_token_probabilities(logits, temperature):
    last = logits[:, -1] / temperature
    return last.softmax(dim=-1)


def generate(model, tokens, count, temperature=0.0):
    model.eval()
    with torch.no_grad():
        for _ in range(count):
            logits = model(tokens[:, -model.block_size:])
            if temperature > 0:
                new = torch.multinomial(next_token_probabilities(logits, temperature), 1)
            else:
                new = logits[:, -1].argmax(-1, keepdim=True)
            tokens = torch.cat([tokens, new], dim=1)
    return tokens
