# right: v3
"""自己注意(マスクとドロップアウトつき)を素直に書く"""
import torch
import torch.nn as nn
import torch.nn.functional as F


def マスクをかける(得点, マスク):
    # マスクは 1 が「見てよい」、0 が「見てはいけない」
    if マスク is None:
        return 得点
    return torch.where(マスク != 0, 得点, torch.full_like(得点, float("-inf")))


class 自己注意(nn.Module):
    def __init__(self, 次元, dropout=0.1):
        super().__init__()
        self.問い合わせ = nn.Linear(次元, 次元)
        self.鍵 = nn.Linear(次元, 次元)
        self.値 = nn.Linear(次元, 次元)
        self.出力層 = nn.Linear(次元, 次元)
        self.落とす = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        q, k, v = self.問い合わせ(x), self.鍵(x), self.値(x)
        得点 = torch.bmm(q, k.transpose(1, 2)) / (x.size(-1) ** 0.5)
        得点 = マスクをかける(得点, attention_mask)
        重み = self.落とす(F.softmax(得点, dim=-1))
        return self.出力層(torch.bmm(重み, v))
