import edgewise

alcohols = {
    "smiles": ["C" * length + "O" for length in range(1, 31)],
    "logS": [1.1 - 0.6 * length for length in range(1, 31)],
}
model = edgewise.train(molecules=alcohols, label="logS", seed=1)
print(model.predict(molecules={"smiles": ["CC(C)CO", "c1ccccc1O"]}).to_pandas())
