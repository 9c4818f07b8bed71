import edgewise
import edgewise.torch
import torch

torch.manual_seed(0)
nodes, classes = 200, 2
labels = torch.arange(nodes) % classes
sources = torch.randint(nodes, (2000,))
targets = (sources + classes * torch.randint(nodes // classes, (2000,))) % nodes  # of the same class
x = torch.randn(nodes, 16)
mask = edgewise.Mask(torch.stack([sources, targets]), nodes, self_loops=True)  # once, before training


class Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = edgewise.torch.GATConv(16, 8, heads=4, dropout=0.2)
        self.last = edgewise.torch.GATConv(32, classes, heads=1, dropout=0.2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        out: torch.Tensor = self.last(torch.nn.functional.elu(self.first(x, mask)), mask)
        return out


net = Net()
optimiser = torch.optim.Adam(net.parameters(), lr=0.01)
for epoch in range(100):
    optimiser.zero_grad()
    loss = torch.nn.functional.cross_entropy(net(x)[:100], labels[:100])
    loss.backward()
    optimiser.step()
net.eval()
print((net(x)[100:].argmax(dim=1) == labels[100:]).float().mean().item())
