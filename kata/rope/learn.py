"""The steps of the lesson on rope, each after its `# %%`; the last part makes the picture."""

# %% a point that rotates
import math

import torch

torch.set_printoptions(precision=3, sci_mode=False)


def rotate(pair, angle):
    a, b = pair
    cos, sin = math.cos(angle), math.sin(angle)
    return torch.tensor([a * cos - b * sin, b * cos + a * sin])


for position in range(4):
    print(position, rotate((1.0, 0.0), position * math.pi / 2))

# %% the score sees the distance alone
query, key = (2.0, 1.0), (1.0, 3.0)
for m, n in ((3, 1), (7, 5), (102, 100), (5, 7)):
    score = rotate(query, m) @ rotate(key, n)
    print(m, n, round(score.item(), 2))

# %% one frequency for each pair
head_dim, base = 8, 10000
frequencies = base ** (-torch.arange(0, head_dim, 2) / head_dim)
print(frequencies)

# %% angles: positions times frequencies
positions = torch.arange(5)
angles = positions[:, None] * frequencies
print(angles.shape)
print(angles[4])

# %% picture
picture = angles.cos()
rows = [f"position {p}" for p in range(5)]
columns = [f"pair {i}" for i in range(4)]
