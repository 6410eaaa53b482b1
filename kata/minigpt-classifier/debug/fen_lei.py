"""文本分类：主体是一个小 GPT，最后对真实 token 取平均。"""

import math

import torch
from torch import nn
from torch.nn.functional import gelu


class ZhuYiLi(nn.Module):
    def __init__(self, kuan, tou):
        super().__init__()
        self.tou = tou
        self.qkv = nn.Linear(kuan, 3 * kuan)
        self.out = nn.Linear(kuan, kuan)

    def forward(self, x, kejian):
        b, t, e = x.shape
        d = e // self.tou
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        q = q.reshape(b, t, self.tou, d).transpose(1, 2)
        k = k.reshape(b, t, self.tou, d).transpose(1, 2)
        v = v.reshape(b, t, self.tou, d).transpose(1, 2)
        fen = torch.einsum("bhqd,bhkd->bhqk", q, k) / math.sqrt(d)
        fen = torch.where(kejian, fen, torch.finfo(fen.dtype).min)
        quan = torch.softmax(fen, dim=-1)
        he = torch.einsum("bhqk,bhkd->bqhd", quan, v)
        return self.out(he.reshape(b, t, e))


class Ceng(nn.Module):
    def __init__(self, kuan, tou):
        super().__init__()
        self.norm1 = nn.LayerNorm(kuan)
        self.attn = ZhuYiLi(kuan, tou)
        self.norm2 = nn.LayerNorm(kuan)
        self.fc1 = nn.Linear(kuan, 4 * kuan)
        self.fc2 = nn.Linear(4 * kuan, kuan)

    def forward(self, x, kejian):
        x = x + self.attn(self.norm1(x), kejian)
        return x + self.fc2(gelu(self.fc1(self.norm2(x))))


class GPTClassifier(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers, num_classes):
        super().__init__()
        self.token_emb = nn.Embedding(vocab_size, hidden_dim)
        self.pos_emb = nn.Embedding(block_size, hidden_dim)
        self.layers = nn.ModuleList([Ceng(hidden_dim, num_heads) for _ in range(num_layers)])
        self.final_norm = nn.LayerNorm(hidden_dim)
        self.head = nn.Linear(hidden_dim, num_classes)

    def forward(self, tokens, mask):
        zhen = mask != 0
        t = tokens.shape[1]
        weizhi = (zhen.cumsum(dim=1) - 1).clamp(min=0)
        yinguo = torch.ones(t, t, dtype=torch.bool, device=tokens.device).tril()
        kejian = yinguo & zhen[:, None, None, :]
        x = self.token_emb(tokens) + self.pos_emb(weizhi)
        for ceng in self.layers:
            x = ceng(x, kejian)
        x = self.final_norm(x)
        zong = (x * zhen.unsqueeze(-1)).sum(dim=1)
        geshu = zhen.sum(dim=1, keepdim=True)
        pingjun = zong / geshu
        return self.head(pingjun)
