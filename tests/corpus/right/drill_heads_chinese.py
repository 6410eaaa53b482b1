# right: drill-heads
# 拆分：先切最后一维，再把 head 换到前面；合并反过来
import torch


def split_by_view(x, num_heads):
    批, 长, 宽 = x.shape
    y = x.view(批, 长, num_heads, 宽 // num_heads)   # 只切，不搬
    return y.swapaxes(1, 2)


def split_by_permute(x, num_heads):
    批, 长, 宽 = x.shape
    return x.reshape(批, 长, num_heads, 宽 // num_heads).permute((0, 2, 1, 3))


def split_by_unflatten(x, num_heads):
    # 先转置再拆，也可以
    return x.transpose(1, 2).unflatten(1, (num_heads, -1)).transpose(2, 3)


def merge_by_view(heads):
    批, 头, 长, 宽 = heads.shape
    # transpose 之后内存不连续，view 会报错，所以先 contiguous
    return heads.transpose(1, 2).contiguous().view(批, 长, 头 * 宽)


def merge_by_reshape(heads):
    批, 头, 长, 宽 = heads.shape
    return heads.permute(0, 2, 1, 3).reshape(批, 长, 头 * 宽)


def merge_by_flatten(heads):
    # 先拼成 (批, 头*宽, 长) 再转回来
    return heads.transpose(2, 3).flatten(1, 2).transpose(1, 2)
