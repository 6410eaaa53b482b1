# right: window
import torch


def window_attention(query, key, value, window):
    批, 头, 长, 维 = query.shape
    # 把 batch 和 head 合成一维，用 bmm
    q = query.reshape(批 * 头, 长, 维)
    k = key.reshape(批 * 头, 长, 维)
    v = value.reshape(批 * 头, 长, 维)
    分数 = torch.bmm(q, k.transpose(1, 2)) / (维**0.5)
    行 = torch.arange(长, device=query.device).unsqueeze(1)
    列 = torch.arange(长, device=query.device).unsqueeze(0)
    太新 = 列 > 行
    太旧 = 列 <= 行 - window
    分数 = 分数.masked_fill(太新 | 太旧, float("-inf"))
    权重 = torch.softmax(分数, dim=-1)
    return torch.bmm(权重, v).view(批, 头, 长, 维)
