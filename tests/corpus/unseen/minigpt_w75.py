# 小 GPT：模型、损失、训练、生成
import math

import torch
import torch.nn as nn
import torch.nn.functional as F

PADDING = 0


class 注意力(nn.Module):
    def __init__(self, 宽, 头数):
        super().__init__()
        self.头数 = 头数
        self.q, self.k, self.v, self.o = (nn.Linear(宽, 宽) for _ in range(4))

    def forward(self, x):
        批, 长, 宽 = x.shape
        形 = (批, 长, self.头数, 宽 // self.头数)
        q, k, v = (层(x).view(形).transpose(1, 2) for 层 in (self.q, self.k, self.v))
        分数 = q @ k.transpose(-2, -1) / math.sqrt(形[-1])
        分数 = 分数 + torch.full((长, 长), float("-inf"), dtype=x.dtype, device=x.device).triu(1)
        return self.o((分数.softmax(-1) @ v).transpose(1, 2).reshape(批, 长, 宽))


class 块(nn.Module):
    def __init__(self, 宽, 头数, 丢弃):
        super().__init__()
        self.归一1, self.归一2 = nn.LayerNorm(宽), nn.LayerNorm(宽)
        self.注意力 = 注意力(宽, 头数)
        self.前馈 = nn.Sequential(nn.Linear(宽, 4 * 宽), nn.GELU(), nn.Linear(4 * 宽, 宽))
        self.丢弃 = nn.Dropout(丢弃)

    def forward(self, x):
        x = x + self.丢弃(self.注意力(self.归一1(x)))
        return x + self.丢弃(self.前馈(self.归一2(x)))


class MiniGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers, dropout=0.0):
        super().__init__()
        self.block_size = block_size
        self.词嵌入 = nn.Embedding(vocab_size, hidden_dim)
        self.位置嵌入 = nn.Embedding(block_size, hidden_dim)
        self.块组 = nn.ModuleList([块(hidden_dim, num_heads, dropout) for _ in range(num_layers)])
        self.末归一 = nn.LayerNorm(hidden_dim)

    def forward(self, tokens):
        位置 = torch.arange(tokens.shape[1], device=tokens.device)
        x = self.词嵌入(tokens) + self.位置嵌入(位置)
        for 一块 in self.块组:
            x = 一块(x)
        return self.末归一(x) @ self.词嵌入.weight.t()


def next_token_loss(logits, tokens):
    预测 = logits[:, :-1].flatten(0, 1)
    目标 = tokens[:, 1:].flatten()
    return F.cross_entropy(预测, 目标, ignore_index=PADDING)


def train(model, tokens, steps, learning_rate):
    model.train()
    优化器 = torch.optim.AdamW(model.parameters(), lr=learning_rate)
    记录 = []
    for 步 in range(steps):
        当前 = learning_rate * (1 - 步 / steps)
        for 组 in 优化器.param_groups:
            组["lr"] = 当前
        优化器.zero_grad()
        损失 = next_token_loss(model(tokens), tokens)
        损失.backward()
        for 参数 in model.parameters():
            torch.nn.utils.clip_grad_norm_(参数, max_norm=1.0)
        优化器.step()
        记录.append(损失.item())
    return 记录


def next_token_probabilities(logits, temperature):
    return F.softmax(logits[:, -1] / temperature, dim=-1)


@torch.no_grad()
def generate(model, tokens, count, temperature=0.0):
    model.eval()
    for _ in range(count):
        末 = model(tokens[:, -model.block_size :])
        if temperature == 0.0:
            新 = 末[:, -1].argmax(-1, keepdim=True)
        else:
            新 = torch.multinomial(next_token_probabilities(末, temperature), 1)
        tokens = torch.cat([tokens, 新], dim=1)
    return tokens
