"""The steps of the lesson on split-k, each after its `# %%`; the last part makes the picture."""

# %% two chunks, each by itself
import torch

torch.set_printoptions(precision=3, sci_mode=False)
first, second = torch.tensor([1.0, 3.0]).log(), torch.tensor([12.0]).log()
value = torch.tensor([10.0, 20.0, 40.0])
left, right = first.softmax(0) @ value[:2], second.softmax(0) @ value[2:]
outputs = torch.stack([left, right])
print(outputs)

# %% what each has to hand on beside its output
lses = torch.stack([first.logsumexp(0), second.logsumexp(0)])
print(lses)

# %% merged, and all keys at once
shares = lses.softmax(0)
print(shares, shares @ outputs)
print(torch.cat([first, second]).softmax(0) @ value)

# %% a chunk in which nothing is seen
nothing = torch.tensor([float("-inf"), float("-inf")])
print(nothing.softmax(0), nothing.logsumexp(0))
print(0 * nothing.softmax(0))

# %% picture
nil = torch.zeros(1)
one, two = torch.cat([first.softmax(0), nil]), torch.cat([nil, nil, second.softmax(0)])
alone = torch.stack([one, two])
picture = torch.cat([alone, (shares @ alone)[None]])
rows = ("chunk 1", "chunk 2", "merged")
columns = [f"key {i}" for i in range(3)]
