import torch
import torch.nn as nn
import torch.nn.functional as F

PADDING = 0


class Block(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.ln1 = nn.LayerNorm(dim)
        self.ln2 = nn.LayerNorm(dim)
        self.qkv = nn.Linear(dim, 3 * dim, bias=False)
        self.proj = nn.Linear(dim, dim)
        self.ff = nn.Sequential(nn.Linear(dim, 4 * dim), nn.GELU(), nn.Linear(4 * dim, dim))

    def attn(self, x):
        b, t, d = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        # 下三角掩码, 只能看到过去
        mask = torch.ones(t, t, dtype=torch.bool, device=x.device).tril()
        w = (q @ k.transpose(-1, -2) / (d // self.heads) ** 0.5).masked_fill(~mask, float('-inf'))
        return self.proj((w.softmax(-1) @ v).transpose(1, 2).reshape(b, t, d))

    def forward(self, x):
        x = x + self.attn(self.ln1(x))
        return x + self.ff(self.ln2(x))


class MiniGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers, dropout=0.0):
        super().__init__()
        self.block_size = block_size
        self.emb = nn.Embedding(vocab_size, hidden_dim)
        self.pos = nn.Embedding(block_size, hidden_dim)
        self.drop = nn.Dropout(dropout)
        self.blocks = nn.ModuleList([Block(hidden_dim, num_heads) for _ in range(num_layers)])
        self.ln = nn.LayerNorm(hidden_dim)

    def forward(self, tokens):
        x = self.emb(tokens) + self.pos.weight[None, :tokens.size(1)]
        x = self.drop(x)
        for block in self.blocks:
            x = block(x)
        # 输出层与词表共享权重
        return F.linear(self.ln(x), self.emb.weight)


def next_token_loss(logits, tokens):
    # 位置 t 预测 t+1
    pred = logits[:, :-1].flatten(0, 1)
    gold = tokens[:, 1:].flatten()
    keep = gold.ne(PADDING)
    return F.cross_entropy(pred[keep], gold[keep])


def train(model, tokens, steps, learning_rate):
    model.train()
    opt = torch.optim.AdamW(model.parameters(), lr=learning_rate)
    losses = []
    for step in range(steps):
        # 学习率线性下降
        opt.param_groups[0]['lr'] = learning_rate * (1 - step / steps)
        loss = next_token_loss(model(tokens), tokens)
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        losses.append(loss.item())
    return losses


def next_token_probabilities(logits, temperature):
    return F.softmax(logits[:, -1, :] / temperature, dim=-1)


@torch.no_grad()
def generate(model, tokens, count, temperature=0.0):
    model.eval()
    for _ in range(count):
        tokens = tokens[:, -model.block_size:]
        logits = model(tokens)
        if temperature == 0:
            # 贪心
            new = logits[:, -1].argmax(dim=-1)
        else:
            new = torch.multinomial(next_token_probabilities(logits, temperature), 1).squeeze(1)
        tokens = torch.cat([tokens, new[:, None]], dim=1)
    return tokens
