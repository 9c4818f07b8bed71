from edgewise import MoleculeRegressor
from sklearn.model_selection import GridSearchCV

smiles = ["C" * length + end for length in range(1, 31) for end in ("O", "N")]
log_s = [1.1 - 0.6 * length for length in range(1, 31) for end in ("O", "N")]
search = GridSearchCV(MoleculeRegressor("gcn", epochs=20, seed=1), {"learning_rate": [0.001, 0.01]}, cv=3)
search.fit(smiles, log_s)
print(search.best_params_, search.predict(["CC(C)CO"]))

regressor = MoleculeRegressor("gcn", ensemble=5, epochs=20, seed=1).fit(smiles, log_s)
print(regressor.predict_interval(["CC(C)CO"], 0.8))  # lower and upper end
