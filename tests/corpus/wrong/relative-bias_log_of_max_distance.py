# wrong: relative-bias bucket-log-wrong line 19
import math

import torch


def bucket(relative_position, bidirectional=True, num_buckets=32, max_distance=128):
    相对 = relative_position
    if bidirectional:
        桶数 = num_buckets // 2
        起点 = torch.where(相对 > 0, 桶数, 0)
        距离 = 相对.abs()
    else:
        桶数 = num_buckets
        起点 = torch.zeros_like(相对)
        距离 = torch.clamp(-相对, min=0)
    精确 = 桶数 // 2
    安全 = torch.clamp(距离, min=精确).to(torch.float32)
    对数 = torch.log(安全 / 精确) / math.log(max_distance)
    远 = 精确 + (对数 * (桶数 - 精确)).to(torch.int64)
    远 = torch.clamp(远, max=桶数 - 1)
    return 起点 + torch.where(距离 < 精确, 距离, 远)


def bias(table, query_length, key_length, bidirectional=True, max_distance=128):
    位置 = torch.arange(key_length, device=table.device)
    查询 = 位置[key_length - query_length:]
    编号 = bucket(位置.unsqueeze(0) - 查询.unsqueeze(1), bidirectional, table.shape[0], max_distance)
    return table[编号].permute(2, 0, 1).contiguous()


def attention(query, key, value, table, bidirectional=True, max_distance=128):
    分数 = torch.matmul(query, key.transpose(-2, -1))
    偏置 = bias(table, query.size(-2), key.size(-2), bidirectional, max_distance)
    分数 = 分数 + 偏置
    if not bidirectional:
        行, 列 = 分数.shape[-2:]
        能看 = torch.tril(torch.ones(行, 列, device=query.device), diagonal=列 - 行)
        分数 = 分数.masked_fill(能看 == 0, float("-inf"))
    权重 = torch.softmax(分数, dim=-1)
    return torch.matmul(权重, value)
