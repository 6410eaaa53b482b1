# right: drill-expand
import torch


def share_keys(key, heads):
    # expand 不复制，只把第二维的 stride 设成 0
    批, 长, 宽 = key.shape
    return key.reshape(批, 1, 长, 宽).expand(批, heads, 长, 宽)


def silence_head(key, heads, head):
    """要写，所以先 contiguous 成自己的内存"""
    拷贝 = share_keys(key, heads).contiguous()
    拷贝.select(1, head).fill_(0)
    return 拷贝


def repeat_kv(key, repeats):
    # 相邻重复：0 0 1 1 2 2
    段 = [单个.repeat(1, repeats, 1, 1) for 单个 in key.split(1, dim=1)]
    return torch.cat(段, dim=1)


def add_slopes(scores, slopes):
    斜率 = slopes[..., None, None]
    return scores.add(斜率)


def distances(positions):
    行, 列 = torch.meshgrid(positions, positions, indexing="ij")
    return 列 - 行
