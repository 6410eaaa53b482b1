# wrong: sdpa mask-row-shared line 15
# fair: mask-row-shared 14, 15
import torch
from torch import nn


def attention(query, key, value, mask=None, causal=False):
    # 1. 计算相似度
    d = query.size(-1)
    score = torch.matmul(query, key.transpose(-1, -2)) / (d ** 0.5)

    # 2. 处理 mask
    if mask is not None:
        if mask.dim() == 2:
            mask = mask[:, None, None, :]
        score = score.masked_fill(mask == 0, float("-inf"))

    # 3. 因果 mask: query 是最后的若干个位置
    if causal:
        q_len, k_len = query.size(2), key.size(2)
        q_pos = torch.arange(k_len - q_len, k_len, device=query.device).view(-1, 1)
        k_pos = torch.arange(k_len, device=query.device).view(1, -1)
        score = score.masked_fill(k_pos > q_pos, float("-inf"))

    # 4. softmax 与加权求和
    prob = nn.functional.softmax(score, dim=-1)
    return torch.matmul(prob, value)
