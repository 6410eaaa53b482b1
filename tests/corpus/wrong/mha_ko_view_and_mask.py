# wrong: mha heads-view-without-transpose line 19, mask-inverted line 26
# 멀티 헤드 어텐션 구현
import torch
from torch import nn


class 멀티헤드(nn.Module):
    def __init__(self, 차원, 헤드수, 드롭률=0.1):
        super().__init__()
        self.헤드수 = 헤드수
        self.쿼리 = nn.Linear(차원, 차원)
        self.키 = nn.Linear(차원, 차원)
        self.밸류 = nn.Linear(차원, 차원)
        self.출력 = nn.Linear(차원, 차원)
        self.드롭 = nn.Dropout(드롭률)

    def 나누기(self, t):
        b, n, d = t.shape
        return t.view(b, self.헤드수, n, d // self.헤드수)

    def forward(self, x, mask=None):
        b, n, d = x.shape
        q, k, v = self.나누기(self.쿼리(x)), self.나누기(self.키(x)), self.나누기(self.밸류(x))
        점수 = q @ k.transpose(-1, -2) / (d // self.헤드수) ** 0.5
        if mask is not None:
            점수 = 점수.masked_fill(mask != 0, -1e9)
        y = self.드롭(점수.softmax(-1)) @ v
        return self.출력(y.transpose(1, 2).reshape(b, n, d))
