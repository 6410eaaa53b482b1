# 拡張と繰り返しの練習（expand / repeat）
import torch


class Heads:
    AXIS = 1


def share_keys(key, heads):
    # ストライド 0 のビュー、コピーなし
    return key[:, None].expand(key.size(0), heads, key.size(1), key.size(2))


def silence_head(key, heads, head):
    out = torch.stack([key] * heads, dim=Heads.AXIS)
    mute = torch.zeros(heads, 1, 1, dtype=torch.bool, device=key.device)
    mute[head] = True
    return out.masked_fill(mute, 0)


def repeat_kv(key, repeats):
    b, h, t, d = key.shape
    return key.unsqueeze(2).expand(b, h, repeats, t, d).reshape(b, h * repeats, t, d)


def add_slopes(scores, slopes):
    return scores + slopes.reshape(1, -1, 1, 1)


def distances(positions):
    # 整数のまま返す。行がクエリ、列がキー
    diff = positions.view(1, -1) - positions.view(-1, 1)
    return diff.to(torch.int8)
