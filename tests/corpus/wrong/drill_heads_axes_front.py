# wrong: drill-heads axes-wrong-order line 16
# 拆分与合并 head
import torch


def split_by_view(x, num_heads):
    批, 长, 宽 = x.shape
    # 先切最后一维
    y = x.view(批, 长, num_heads, 宽 // num_heads)
    return y.transpose(1, 2)  # 再换到前面


def split_by_permute(x, num_heads):
    批, 长, 宽 = x.shape
    y = x.view(批, 长, num_heads, 宽 // num_heads)
    return y.permute(2, 0, 1, 3)


def split_by_unflatten(x, num_heads):
    y = x.unflatten(2, (num_heads, -1))
    return y.permute(0, 2, 1, 3)


def merge_by_view(heads):
    批, 头, 长, 宽 = heads.shape
    y = heads.permute(0, 2, 1, 3)
    y = y.contiguous()
    return y.view(批, 长, 头 * 宽)


def merge_by_reshape(heads):
    批, 头, 长, 宽 = heads.shape
    y = heads.permute(0, 2, 1, 3)
    return y.reshape(批, 长, 头 * 宽)


def merge_by_flatten(heads):
    y = heads.permute(0, 2, 1, 3)
    return y.flatten(2, 3)
