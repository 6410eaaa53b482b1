# right: minigpt-classifier
"""用拼音写的变量名；自己写的主体，query、key、value 分开。"""
import math
import torch
from torch import nn
from torch.nn.functional import gelu, softmax


class Ceng(nn.Module):
    def __init__(self, kuan, tou):
        super().__init__()
        self.tou = tou
        self.norm1 = nn.LayerNorm(kuan)
        self.wq = nn.Linear(kuan, kuan)
        self.wk = nn.Linear(kuan, kuan)
        self.wv = nn.Linear(kuan, kuan)
        self.wo = nn.Linear(kuan, kuan)
        self.norm2 = nn.LayerNorm(kuan)
        self.up = nn.Linear(kuan, kuan * 4)
        self.down = nn.Linear(kuan * 4, kuan)

    def zhuyili(self, x, kejian):
        b, t, e = x.shape
        d = e // self.tou
        q = self.wq(x).reshape(b, t, self.tou, d).transpose(1, 2)
        k = self.wk(x).reshape(b, t, self.tou, d).transpose(1, 2)
        v = self.wv(x).reshape(b, t, self.tou, d).transpose(1, 2)
        fen = q @ k.transpose(2, 3) / math.sqrt(d)
        fen = torch.where(kejian, fen, torch.finfo(fen.dtype).min)
        quan = softmax(fen, dim=-1)
        he = (quan @ v).transpose(1, 2).reshape(b, t, e)
        return self.wo(he)

    def forward(self, x, kejian):
        x = x + self.zhuyili(self.norm1(x), kejian)
        return x + self.down(gelu(self.up(self.norm2(x))))


class GPTClassifier(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers, num_classes):
        super().__init__()
        self.token_table = nn.Embedding(vocab_size, hidden_dim)
        self.position_table = nn.Embedding(block_size, hidden_dim)
        self.blocks = nn.ModuleList([Ceng(hidden_dim, num_heads) for _ in range(num_layers)])
        self.final_norm = nn.LayerNorm(hidden_dim)
        self.head = nn.Linear(hidden_dim, num_classes)

    def forward(self, tokens, mask):
        zhen = mask > 0
        weizhi = torch.cumsum(zhen, dim=1) - 1
        weizhi = torch.where(weizhi < 0, torch.zeros_like(weizhi), weizhi)
        t = tokens.shape[1]
        xu = torch.arange(t, device=tokens.device)
        kejian = (xu[None, :] <= xu[:, None])[None, None] & zhen[:, None, None, :]
        x = self.token_table(tokens) + self.position_table(weizhi)
        for ceng in self.blocks:
            x = ceng(x, kejian)
        x = self.final_norm(x)
        zong = torch.einsum("bte,bt->be", x, zhen.to(x.dtype))
        geshu = zhen.sum(1).to(x.dtype)
        return self.head(zong / geshu[:, None])
