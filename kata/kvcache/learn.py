"""The steps of the lesson on kvcache, each after its `# %%`; the last part makes the picture."""

# %% one step at a time
import torch

torch.set_printoptions(precision=2, sci_mode=False)
torch.manual_seed(4)
query, key, value = torch.randn(3, 4, 2)


def attend(query, key, value):
    length, key_length = len(query), len(key)
    seen = torch.ones(length, key_length).tril(key_length - length)
    scores = (query @ key.T / 2**0.5).masked_fill(seen == 0, float("-inf"))
    return scores.softmax(dim=-1) @ value


full = attend(query, key, value)
print(full)

# %% the same rows, with a cache
keys, values = key[:0], value[:0]
for step in range(4):
    keys = torch.cat([keys, key[step : step + 1]])
    values = torch.cat([values, value[step : step + 1]])
    row = attend(query[step : step + 1], keys, values)
    print(len(keys), torch.allclose(row, full[step : step + 1]))

# %% two new tokens at once
both = attend(query[2:], keys, values)
print(torch.allclose(both, full[2:]))
seen = torch.ones(2, 4, dtype=torch.int64).tril(4 - 2)
print(seen)

# %% how much is kept
layers, width, positions = 32, 4096, 4096
print(2 * layers * width * positions * 2 // 2**30, "GiB")

# %% picture
picture = seen
rows = ("query 2", "query 3")
columns = ("key 0", "key 1", "key 2", "key 3")
