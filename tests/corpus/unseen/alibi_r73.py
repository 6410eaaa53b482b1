import math

import torch


def наклоны(голов):
    """Список чисел: по одному на голову."""
    степень = 2 ** int(math.log2(голов))
    геометр = [2.0 ** (-8.0 * i / степень) for i in range(1, степень + 1)]
    if степень == голов:
        return геометр
    return геометр + наклоны(2 * степень)[0::2][: голов - степень]


def slopes(heads):
    return torch.tensor(наклоны(heads))


def bias(heads, query_length, key_length):
    сдвиг = key_length - query_length
    строки = [[j - i - сдвиг for j in range(key_length)] for i in range(query_length)]
    минус_расстояние = torch.tensor(строки, dtype=torch.float32).reshape(query_length, key_length)
    запрет = torch.zeros_like(минус_расстояние).masked_fill_(минус_расстояние > 0, -math.inf)
    return slopes(heads).view(-1, 1, 1) * минус_расстояние.clamp(max=0) + запрет


def attention(query, key, value):
    смещение = bias(query.shape[1], query.shape[2], key.shape[2]).to(query.device)
    выходы = []
    for h, (q, k, v) in enumerate(zip(query.unbind(1), key.unbind(1), value.unbind(1))):
        оценки = torch.bmm(q, k.mT) / math.sqrt(q.shape[-1])
        веса = torch.softmax(оценки + смещение[h], dim=-1)      # float32 at least
        выходы.append(torch.bmm(веса.to(v.dtype), v))
    return torch.stack(выходы, dim=1)
