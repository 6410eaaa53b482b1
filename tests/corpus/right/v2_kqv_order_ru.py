# right: v2
# Порядок в общей матрице: ключи, запросы, значения
import math

import torch
import torch.nn as nn


class SamoVnimanie(nn.Module):
    def __init__(self, razmer):
        super().__init__()
        self.razmer = razmer
        self.kqv = nn.Linear(razmer, 3 * razmer, bias=False)

    def forward(self, x):
        k, q, v = self.kqv(x).split(self.razmer, dim=-1)
        # матрица весов: строка = запрос, столбец = ключ
        w = torch.einsum('btd,bsd->bts', q, k).div(math.sqrt(self.razmer))
        w = w - w.amax(dim=-1, keepdim=True)
        w = w.exp()
        w = w / w.sum(dim=-1, keepdim=True)
        return torch.einsum('bts,bsd->btd', w, v)
