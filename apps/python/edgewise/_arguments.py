"""The arguments of `train`, `compare`, `tune` and of predictions.

Written by apps/python/generate.py from the library's tables; do not edit.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, TypedDict, Union

Path = Union[str, "os.PathLike[str]"]
Table = Union[Path, Mapping[str, Any], Any]  # a file, columns by name, or a DataFrame


class DataArguments(TypedDict, total=False):
    """What the data is."""

    edges: Table | None
    """Edge list: CSV, TSV or space-separated, also .gz; several are read one after the other; for kinds of nodes
    KIND:RELATION:KIND=FILE"""
    graph: Table | None
    """Nodes and edges in one file: GraphML, GEXF, GML, DOT, JSON, .mtx, Pajek, SIF ..."""
    nodes: Table | None
    """Node table: CSV with a header; several are read one after the other; for kinds of nodes KIND=FILE"""
    frozen: Path | None
    """A network from edgewise data freeze"""
    memory: str | None
    """Frozen networks: memory for their parts, such as 4G; the rest is spilled to disk"""
    molecules: Table | None
    """Table of molecules: CSV with a column of SMILES, or SDF, also .gz"""
    reactions: Table | None
    """Table of reactions: CSV with a column of mapped reaction SMILES, also .gz"""
    reaction_mode: str | None
    """What a model sees: reac_diff, reac_prod, prod_diff, each also with _balance"""
    align: bool | None
    """Find the atom map numbers of reactions that have none"""
    tu: Path | None
    """Folder of NAME_A.txt, NAME_graph_indicator.txt, ...: many graphs with one label each"""
    smiles: str | Sequence[str] | None
    """Column of the SMILES; several: each row is that many molecules"""
    atom_target: str | Sequence[str] | None
    """Molecules: column(s) with a list in each cell, one value for each atom, to learn"""
    bond_target: str | Sequence[str] | None
    """Molecules: column(s) with a list of one value for each bond, to learn"""
    atom_table: Table | None
    """Molecules: table of these values with a row for each atom (bond): molecule,atom,value"""
    atom_columns: str | Sequence[str] | None
    """Its columns of the molecule and of the atom (two for bonds), if not found by their names"""
    atom_total: str | None
    """Column with the sum of a molecule's atom values; charge: its formal charge"""
    amount: str | Sequence[str] | None
    """Several molecules in a row: the columns with the amount of each"""
    symmetric: bool | None
    """Several molecules in a row: their order means nothing"""
    features: Table | None
    """Features of nodes: node,x1,x2,... or sparse node,feature,value CSV, or {"node": [feature]} JSON; for
    molecules: the name of a feature set"""
    source: str | None
    """Column of the edge list (name, or position from 1)"""
    target: str | None
    """Molecules: the column(s) to learn, as label; in an edge list: the column of targets"""
    edge_label: str | Sequence[str] | None
    """Column(s) of the edge list to learn: the edges are labelled, not the nodes"""
    weight: str | None
    """Column of the edge list, or edge attribute in the graph file"""
    row_weight: str | None
    """Column of the items' table that says how much each counts in the loss (of molecules: weight)"""
    edge_features: str | Sequence[str] | None
    """Columns of the edge list, or attributes in the graph file, to use as edge features"""
    id: str | None
    """Column of the node table that names the node"""
    node_names: str | None
    """Attribute of the graph file that names the nodes"""
    label: str | Sequence[str] | None
    """Column(s) of the table to learn"""
    node_kind: str | None
    """Column of the node table with the kind of each node, such as person or product"""
    edge_kind: str | None
    """Column of the edge list with the relation that each edge is of, such as buys"""
    task: str | None
    """auto, classification, counts, links, multilabel, regression; to pretrain: masked_atoms of molecules,
    masked_tokens of texts"""
    categorical: str | Sequence[str] | None
    """Columns that are categories although they hold numbers"""
    ignore: str | Sequence[str] | None
    """Node columns that are not features"""
    missing: str | Sequence[str] | None
    """Texts that mean that a value is unknown, besides NA, null, None and the like; with empty: instead of them"""
    missing_labels: str | Sequence[str] | None
    """Texts that mean that a label is unknown, such as unknown,-"""
    separator: str | None
    """What separates the labels of one cell, such as ';', with task multilabel"""
    relation: str | None
    """Column that says which labels are bounds (<, >); none: treat all labels as exact; with task links, of several
    relations the one whose ties are learnt, KIND:RELATION:KIND"""
    normalise_rows: bool | None
    """Divide each row of bag-of-words features by its sum"""
    directed: bool | None
    """With an edge source,target only the target attends to the source; directed=false: both do, whatever the file
    says"""
    component: str | None
    """all, or largest: only the largest connected part of the graph"""
    duplicates: str | None
    """Edges between the same nodes: keep_first, keep_all, refuse, or sum, mean, max, min, count of their weights"""
    self_loops: str | None
    """keep, drop or refuse"""
    unknown_nodes: str | None
    """Edges to nodes that the node table does not list: refuse, drop, or add the nodes"""
    descriptors: str | Sequence[str] | None
    """Molecules: numbers that are appended to the readout: rdkit (its descriptors), numeric columns"""
    graph_column: str | None
    """Many graphs: column of the node table with the graph of each node"""
    order: str | None
    """Many graphs: column of the node table that gives the order of the nodes"""
    head: str | None
    """Many graphs: column with the position of the node from which an edge comes, 0 for none"""
    graphs: Table | None
    """Many graphs: table with one row per graph"""
    texts: Table | None
    """Table of texts: CSV with a header; each text is a graph, its tokens are the nodes"""
    text: str | None
    """Column of the texts"""
    tokens: str | None
    """What texts are split into: words (at blanks) or characters"""
    token_columns: str | Sequence[str] | None
    """Node columns with a vocabulary, such as words"""
    affixes: int | None
    """Use prefixes and suffixes of tokens up to this length as features, too"""
    grid: str | None
    """Each row of the node table is a grid, such as 8x8: one image per row"""
    sequence: bool | None
    """Each row of the node table is a sequence of its columns: one signal per row"""
    pairs: Path | None
    """Pairs: lines of source TAB target, also .gz"""
    source_texts: Path | None
    """Pairs in two files: a source a line"""
    target_texts: Path | None
    """Pairs in two files: the target of the same line"""
    source_rows: Path | None
    """Pairs: table of numbers; sources name groups of its rows, such as recordings"""
    source_column: str | None
    """Pairs: column of this table with the source that a row belongs to"""
    source_order: str | None
    """Pairs: column of this table that orders the rows of a source"""
    source_tokens: str | None
    """Pairs: what sources are cut into: words, characters or pieces of words"""
    target_tokens: str | None
    """Pairs: what targets are cut into, likewise"""
    pieces: int | None
    """Pairs: how many pieces of words to merge from byte pairs"""
    merges: Path | None
    """Pairs: file of merges of byte pairs, in place of learning them"""
    longest: int | None
    """Pairs: most tokens of a source or target"""
    hydrogens: bool | None
    """Molecules: make hydrogens explicit atoms"""
    strict: bool | None
    """Molecules: stop at the first one that cannot be read"""
    degree: bool | None
    """Node features: the degree of each node"""
    random_walk: int | None
    """Node features: return probabilities of random walks of 1 to this many steps"""
    laplacian: int | None
    """Node features: this many eigenvectors of the Laplacian"""
    distances: int | None
    """Graphs: lengths of shortest paths up to this one, for attention between all"""
    virtual_node: bool | None
    """Graphs: one more node, connected to all others"""


class JobArguments(DataArguments, total=False):
    """The data, the split, the model and its training."""

    split: str | None
    """given, random, stratified, k_fold, per_class, leave_one_out, scaffold, balanced_scaffold, butina or
    reaction_centre"""
    split_name: str | None
    """Kind of the splits given with a data set, such as geom-gcn"""
    split_file: Path | None
    """CSV node,split with train, validation, test or none"""
    split_column: str | None
    """Column of the node table that holds the split"""
    split_group: str | None
    """Column whose groups, such as patients, each stay in one part"""
    split_time: str | None
    """Column of numbers or dates: trains on the earliest, tests on the latest"""
    split_index: int | None
    """Which of several given splits; by default run r takes split r"""
    train_share: float | None
    """Share of the nodes to train on (random, stratified)"""
    validation_share: float | None
    """Share of the nodes to validate on"""
    folds: int | None
    """Number of folds (k_fold)"""
    holdout: float | None
    """Share of the training items to validate on if a given split has no validation part"""
    keep_share: float | None
    """Share of the training items to keep; a smaller share is a subset of a larger one"""
    split_seed: int | None
    """Seed of one split for all runs; by default each run draws its own"""
    epochs: int | None
    """Maximum number of epochs"""
    seed: int | None
    """Seed of the first run; run r has seed + r"""
    optimiser: str | None
    """adam or adamw"""
    learning_rate: float | None
    """Learning rate"""
    weight_decay: float | None
    """L2 (adam) or decoupled (adamw) weight decay"""
    clip: float | None
    """Largest norm of the gradient; 0: no clipping"""
    average: float | None
    """Keep a running average of the weights with this decay, below 1; 0: off"""
    schedule: str | None
    """constant, cosine or plateau"""
    warmup: int | None
    """Epochs of warm-up"""
    stopping: str | None
    """validation_metric, validation_loss, gat (the paper's) or none"""
    patience: int | None
    """Evaluations without progress before training stops; 0: never"""
    evaluate_every: int | None
    """Epochs between evaluations"""
    reorder: str | None
    """Put neighbours close together in memory: none, degree, cuthill_mckee, clustering or auto"""
    batch_size: int | None
    """Graphs per step, or labelled nodes if neighbours are sampled (1024)"""
    sample: str | None
    """Steps over samples of one graph: 15,10 (edges into a node for each layer, the last layer's last),
    clusters:64/4 (4 of 64 parts at a time) or walks:3000x2 (from 3000 nodes, 2 steps)"""
    replace: bool | None
    """Sample neighbours with replacement"""
    class_weights: str | None
    """none or balanced"""
    label_smoothing: float | None
    """Classes: share of each label that is spread over all classes"""
    loss: str | None
    """Regression: squared; huber, which gives large errors less weight; or gaussian, with a variance for each
    item"""
    target_weights: str | None
    """How much each of several targets counts, as a=2,b=0.5; others count 1"""
    label_input: str | None
    """Share of the training labels of other nodes that a model of nodes gets as input: auto (if it pays, when the
    model is chosen), 0, ... 0.95"""
    consistency: str | None
    """Passes per step that must agree on all nodes of one graph: auto (2 for grand), 0, ... 8"""
    negatives: Path | None
    """Ties: the pairs without one to learn from: drawn uniform, by degree or two_steps away, or a CSV file of
    pairs"""
    metric: str | None
    """Metric for early stopping: accuracy, macro_f1, roc_auc, rmse, ..."""
    runs: int | None
    """Number of runs, with seeds seed, seed + 1, ..."""
    ensemble: int | None
    """Models per run; predictions are their mean, with its spread"""
    correct_and_smooth: str | None
    """Spread known labels after a model of nodes: auto (if it pays, when the model is chosen), always, never"""
    from_: Path | None
    """Model file to start from: tensors that fit are taken, the rest are initialized from scratch"""
    freeze: bool | None
    """Freeze the tensors that are taken from it"""
    inputs: str | None
    """What a network sees of a node: features, identity (only the structure of the graph), or words (features, and
    the names of neighbours in kinds without columns)"""
    heads: int | None
    """Number of attention heads"""
    hidden: int | None
    """Hidden units of all heads together"""
    layers: int | None
    """Number of layers"""
    mask: str | None
    """What nodes attend over: edges, k_hop:k, complete, band:w, causal and so on"""
    readout: str | None
    """Graphs: mean, sum, max, sum_mean_max, attention, query or set2set"""
    dropout: float | None
    """Dropout on the inputs of layers"""
    attention_dropout: float | None
    """Dropout on attention weights"""


class TrainArguments(JobArguments, total=False):
    """The arguments of `train`."""

    model: str | Mapping[str, Any] | None
    """The name of a model, or its configuration"""
    budget: str | None
    """Time limit such as 90s, 10m or 2h: the best model until then is kept"""
