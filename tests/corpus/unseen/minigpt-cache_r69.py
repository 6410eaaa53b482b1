# 带缓存的小 GPT。缓存是一个不可变的具名元组：每层一个 (2, 批, 头, 长度, 头宽) 的张量
from typing import NamedTuple, Optional, Tuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class 缓存(NamedTuple):
    各层: Tuple[Tensor, ...]
    长度: int


class 层(nn.Module):
    def __init__(self, 宽: int, 头数: int):
        super().__init__()
        self.头数 = 头数
        self.归一1, self.归一2 = nn.LayerNorm(宽), nn.LayerNorm(宽)
        self.查询 = nn.Linear(宽, 宽, bias=False)
        self.键值 = nn.Linear(宽, 2 * 宽, bias=False)
        self.输出 = nn.Linear(宽, 宽)
        self.升, self.降 = nn.Linear(宽, 4 * 宽), nn.Linear(4 * 宽, 宽)

    def forward(self, x: Tensor, 旧: Optional[Tensor]) -> Tuple[Tensor, Tensor]:
        批, 新长, 宽 = x.shape
        u = self.归一1(x)
        q = self.查询(u).reshape(批, 新长, self.头数, -1).movedim(2, 1)
        kv = self.键值(u).reshape(批, 新长, 2, self.头数, -1).permute(2, 0, 3, 1, 4)
        if 旧 is not None:
            kv = torch.cat([旧, kv], dim=3)
        k, v = kv.unbind(0)
        总长 = k.shape[2]
        我 = torch.arange(总长 - 新长, 总长, device=x.device).view(-1, 1)
        它 = torch.arange(总长, device=x.device).view(1, -1)
        分 = torch.einsum("bhid,bhjd->bhij", q, k) / q.shape[-1] ** 0.5
        权 = torch.where(它 <= 我, 分, torch.finfo(分.dtype).min).softmax(dim=-1)
        合 = torch.einsum("bhij,bhjd->bihd", 权, v).reshape(批, 新长, 宽)
        x = x + self.输出(合)
        return x + self.降(F.gelu(self.升(self.归一2(x)))), kv


class CachedGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers):
        super().__init__()
        self.block_size = block_size
        self.词表 = nn.Parameter(torch.randn(vocab_size, hidden_dim) * 0.02)
        self.位置表 = nn.Parameter(torch.randn(block_size, hidden_dim) * 0.02)
        self.层组 = nn.ModuleList([层(hidden_dim, num_heads) for _ in range(num_layers)])
        self.末归一 = nn.LayerNorm(hidden_dim)

    def forward(self, tokens: Tensor, cache: Optional[缓存] = None) -> Tuple[Tensor, 缓存]:
        起 = 0 if cache is None else cache.长度
        止 = 起 + tokens.shape[1]
        assert 止 <= self.block_size, "超出 block_size"
        x = F.embedding(tokens, self.词表) + self.位置表[起:止]
        新 = []
        for i, 一层 in enumerate(self.层组):
            x, kv = 一层(x, None if cache is None else cache.各层[i])
            新.append(kv)
        return self.末归一(x) @ self.词表.t(), 缓存(tuple(新), 止)


def generate(model, tokens, count):
    model.eval()
    文本 = [tokens]
    with torch.inference_mode():
        下一个, 记忆 = tokens, None
        for _ in range(count):
            logits, 记忆 = model(下一个, 记忆)
            下一个 = logits[:, -1].argmax(-1, keepdim=True)
            文本.append(下一个)
    return torch.cat(文本, dim=1)
