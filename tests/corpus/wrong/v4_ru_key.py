# wrong: v4 key-not-projected line 17
# Внимание с маской; что-то здесь не так с ключами
import torch
from torch import nn


class Внимание(nn.Module):
    def __init__(self, размер, вероятность=0.1):
        super().__init__()
        self.запрос = nn.Linear(размер, размер)
        self.ключ = nn.Linear(размер, размер)
        self.значение = nn.Linear(размер, размер)
        self.прореживание = nn.Dropout(вероятность)
        self.размер = размер

    def forward(self, x, маска=None):
        оценки = self.запрос(x) @ x.transpose(1, 2)
        оценки = оценки / self.размер ** 0.5
        if маска is not None:
            оценки = оценки.masked_fill(маска == 0, float("-inf"))
        return self.прореживание(torch.softmax(оценки, -1)) @ self.значение(x)
