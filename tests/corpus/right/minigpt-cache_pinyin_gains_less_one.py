# right: minigpt-cache
from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class Cache:
    """Keys and values of every layer, of all positions so far. It is given: leave it as it is.

    Adding to it makes another cache and leaves this one as it is.
    """

    def __init__(self, layers: tuple[tuple[Tensor, Tensor], ...] = ()) -> None:
        self.layers = layers

    @property
    def length(self) -> int:
        """How many positions it holds."""
        return self.layers[0][0].shape[2] if self.layers else 0

    def extended(self, layer: int, key: Tensor, value: Tensor) -> tuple[Cache, Tensor, Tensor]:
        """Return the cache with new positions in one layer, and all keys and values of that layer.

        key and value are (batch, heads, length, head_dim), of the new positions.
        """
        if layer < len(self.layers):
            past_key, past_value = self.layers[layer]
            key = torch.cat([past_key, key], dim=2)
            value = torch.cat([past_value, value], dim=2)
        layers = (*self.layers[:layer], (key, value), *self.layers[layer + 1 :])
        return Cache(layers), key, value


class CengZu(nn.Module):
    """一层：归一化、注意力、前馈。zhq 里依次是 值、键、查询。"""

    def __init__(self, kuandu, toushu):
        super().__init__()
        self.toushu = toushu
        self.zengyi = nn.ParameterList([torch.zeros(kuandu), torch.zeros(kuandu)])  # 增益减一
        self.zhq = nn.Linear(kuandu, 3 * kuandu, bias=False)
        self.shuchu = nn.Linear(kuandu, kuandu, bias=False)
        self.qiankui = nn.Sequential(
            nn.Linear(kuandu, 4 * kuandu), nn.GELU(), nn.Linear(4 * kuandu, kuandu)
        )

    def forward(self, x, huancun, ceng):
        def fentou(y):
            return y.unflatten(-1, (self.toushu, -1)).transpose(1, 2)

        y = guiyi(x, self.zengyi[0])
        zhi, jian, chaxun = map(fentou, self.zhq(y).chunk(3, dim=-1))
        huancun, jian, zhi = huancun.extended(ceng, jian, zhi)
        fenshu = chaxun @ jian.transpose(-1, -2) / math.sqrt(chaxun.size(-1))
        xin, quan = fenshu.shape[-2:]
        kejian = torch.ones(xin, quan, device=x.device).tril(quan - xin) == 1
        quanzhong = torch.where(kejian, fenshu, -math.inf).softmax(dim=-1)
        x = x + self.shuchu((quanzhong @ zhi).transpose(1, 2).flatten(2))
        return x + self.qiankui(guiyi(x, self.zengyi[1])), huancun


def guiyi(x, zengyi):
    return F.layer_norm(x, x.shape[-1:], eps=1e-5) * (1 + zengyi)


class CachedGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers):
        super().__init__()
        self.block_size = block_size
        self.zibiao = nn.Parameter(torch.randn(vocab_size, hidden_dim) * 0.02)
        self.weizhi = nn.Parameter(torch.randn(1, block_size, hidden_dim) * 0.02)
        self.ceng = nn.ModuleList(CengZu(hidden_dim, num_heads) for _ in range(num_layers))
        self.mowei = nn.Parameter(torch.zeros(hidden_dim))

    def forward(self, tokens, cache=None):
        cache = cache or Cache()
        qi = cache.length
        x = self.zibiao[tokens] + self.weizhi[:, qi : qi + tokens.size(1)]
        for i, ceng in enumerate(self.ceng):
            x, cache = ceng(x, cache, i)
        return guiyi(x, self.mowei) @ self.zibiao.T, cache


def generate(model, tokens, count):
    model.eval()
    jieguo, cache = tokens, None
    for i in range(count):
        with torch.inference_mode():
            logits, cache = model(tokens if i == 0 else jieguo[:, -1:], cache)
        jieguo = torch.cat([jieguo, logits[:, -1].argmax(dim=-1)[:, None]], dim=1)
    return jieguo
