import torch
import triton
import triton.language as tl


# 在线 softmax：一行太长放不下时，一块一块地读
@triton.jit
def zaixian_softmax(x_ptr, y_ptr, 列数, x_行, x_列, y_行, y_列, 块: tl.constexpr):
    行 = tl.program_id(0)
    偏移 = tl.arange(0, 块)
    最大 = float("-inf")
    总和 = 0.0
    # 第一遍：当前最大值与总和
    for 起点 in range(0, 列数, 块):
        列 = 起点 + 偏移
        指针 = x_ptr + 行 * x_行 + 列 * x_列
        数 = tl.load(指针, mask=列 < 列数, other=float("-inf")).to(tl.float32)
        新 = tl.maximum(最大, tl.max(数, axis=0))
        总和 = 总和 * tl.exp(最大 - 新) + tl.sum(tl.exp(数 - 新), axis=0)
        最大 = 新
    # 第二遍：写结果
    for 起点 in range(0, 列数, 块):
        列 = 起点 + 偏移
        数 = tl.load(x_ptr + 行 * x_行 + 列 * x_列, mask=列 < 列数, other=0.0).to(tl.float32)
        tl.store(y_ptr + 行 * y_行 + 列 * y_列, tl.exp(数 - 最大) / 总和, mask=列 < 列数)


def softmax(x):
    行数, 列数 = x.shape
    y = torch.empty(行数, 列数, dtype=x.dtype, device=x.device)
    zaixian_softmax[(行数,)](x, y, 列数, *x.stride(), *y.stride(), 块=512)
    return y
