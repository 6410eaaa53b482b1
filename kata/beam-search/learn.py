"""The steps of the lesson on beam search, each after its `# %%`; the last part makes the picture."""

# %% two beams, what they have, and what each token would add
import torch

torch.set_printoptions(precision=2, sci_mode=False)
scores = torch.tensor([-0.5, -0.9])
probs = torch.tensor([[0.1, 0.8, 0.1], [0.9, 0.05, 0.05]])
totals = scores[:, None] + probs.log()
print(totals)

# %% the best two of all six
best, places = totals.flatten().topk(2)
print(best, places)

# %% a place is a parent and a token
print(places // 3, places % 3)

# %% a parent may have two children, and another none
others = torch.tensor([[0.0], [-3.0]]) + probs.log()
parents = others.flatten().topk(2).indices // 3
keys = torch.tensor([[10, 11], [20, 21]])
print(parents, keys[parents])

# %% from the last step back to the first
tokens = torch.tensor([[5, 6], [7, 8], [3, 4]])
parents = torch.tensor([[0, 0], [1, 0], [0, 0]])
beam = torch.tensor([0, 1])
for step in (2, 1, 0):
    print(step, tokens[step][beam])
    beam = parents[step][beam]

# %% picture
picture = totals
rows = ("beam 0", "beam 1")
columns = ("token 0", "token 1", "token 2")
