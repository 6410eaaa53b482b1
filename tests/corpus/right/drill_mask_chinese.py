# right: drill-mask
import torch
from torch import nn


def sequence_mask(valid_len, maxlen):
    """根据有效长度生成 padding mask，True 为有效"""
    pos = torch.arange(0, maxlen, dtype=valid_len.dtype, device=valid_len.device)
    return pos[None, :] < valid_len[:, None]


def key_mask(mask):
    # (B, T) -> (B, 1, 1, T)，只是换个看法，不占内存
    return mask[:, None, None, :]


def expanded_mask(mask, heads):
    长度 = mask.shape[-1]
    return key_mask(mask).expand(-1, heads, 长度, -1)


def subsequent_mask(size):
    """下三角：每个 query 只看自己和之前"""
    上三角 = torch.triu(torch.ones((size, size), dtype=torch.uint8), diagonal=1)
    return 上三角 == 0


def combined_mask(mask):
    因果 = subsequent_mask(mask.size(-1)).to(mask.device)
    return key_mask(mask) & 因果


class _带遮罩的softmax(nn.Module):
    def forward(self, 分数, 遮罩):
        低 = torch.finfo(分数.dtype).min
        return torch.where(遮罩 != 0, 分数, 低).softmax(dim=-1)


masked_weights = _带遮罩的softmax()


def additive_mask(mask, scores):
    return torch.zeros_like(mask, dtype=scores.dtype).masked_fill(mask == 0, -torch.inf)
