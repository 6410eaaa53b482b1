# right: paged
import math
import torch


def paged_attention(query, key_pool, value_pool, block_table, lengths):
    批, 头数, 维度 = query.shape
    块大小 = key_pool.shape[1]
    每组 = 头数 // key_pool.shape[2]
    结果 = torch.zeros_like(query)
    for 序号 in range(批):
        长度 = lengths[序号].item()
        块数 = math.ceil(长度 / 块大小)
        用到的块 = block_table[序号, :块数]
        # 先把块拼起来，再按长度截掉尾部
        键 = key_pool[用到的块].reshape(块数 * 块大小, -1, 维度)[:长度]
        值 = value_pool[用到的块].reshape(块数 * 块大小, -1, 维度)[:长度]
        for 头 in range(头数):
            组 = 头 // 每组
            分数 = 键[:, 组] @ query[序号, 头] / math.sqrt(维度)
            权重 = torch.softmax(分数, dim=0)
            结果[序号, 头] = 权重 @ 值[:, 组]
    return 结果
