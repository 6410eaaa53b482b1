# wrong: v1 scale-by-length line 18
# 自己注意その一。√d で割るはずが……
import math
import torch
import torch.nn as nn


class 自己注意(nn.Module):
    def __init__(self, 次元数):
        super().__init__()
        self.wq = nn.Linear(次元数, 次元数)
        self.wk = nn.Linear(次元数, 次元数)
        self.wv = nn.Linear(次元数, 次元数)

    def forward(self, 入力):
        問い, 鍵, 値 = self.wq(入力), self.wk(入力), self.wv(入力)
        得点 = torch.bmm(問い, 鍵.mT)
        得点 = 得点 / math.sqrt(鍵.shape[-2])
        重み = 得点.softmax(dim=-1)
        return torch.bmm(重み, 値)
