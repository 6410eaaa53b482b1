"""The steps of the lesson on T5's bias, each after its `# %%`; the last part makes the picture."""

# %% from positions to differences
import math

import torch

positions = torch.arange(4)
print(positions - positions[:, None])

# %% one direction: 8 buckets, 4 of them exact, up to 32
def bucket(distance, n=8, longest=32):
    exact = n // 2
    if distance < exact:
        return distance
    growth = math.log(distance / exact) / math.log(longest / exact)
    return min(exact + int(growth * (n - exact)), n - 1)

print([bucket(d) for d in (0, 1, 2, 3, 4, 5, 10, 20, 30, 1000)])

# %% how many distances below 64 are in each
counts = torch.bincount(torch.tensor([bucket(d) for d in range(64)]))
print(counts.tolist())

# %% both directions: the upper half for keys ahead
def both(difference):
    return 8 * (difference > 0) + bucket(abs(difference))

print([both(k) for k in (-30, -3, -1, 0, 1, 3, 30)])

# %% one number for each bucket and head
table = torch.linspace(0.0, -1.5, 16)[:, None]
numbers = torch.tensor([[both(k - q) for k in range(4)] for q in range(4)])
print(numbers)
print(table[numbers].permute(2, 0, 1).shape)

# %% picture
picture = [[float(bucket(d) == b) for d in range(40)] for b in range(8)]
picture = [row[::2] for row in picture]
rows = [f"bucket {b}" for b in range(8)]
columns = [str(d) for d in range(0, 40, 2)]
