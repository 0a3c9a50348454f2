"""The metrics as the field computes them: scikit-learn, SciPy, NumPy and minepy with the settings of the
study of Locatello et al. (2019), written from the definitions. They reproduce the golden set of crates/measure.

Codes are [rows, codes], factors [rows, factors]; `train` and `test` are pairs of both.
"""

import numpy as np
from scipy.linalg import sqrtm
from scipy.optimize import linear_sum_assignment
from scipy.stats import spearmanr
from sklearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor
from sklearn.feature_selection import mutual_info_classif
from sklearn.linear_model import Lasso, LinearRegression, LogisticRegression, LogisticRegressionCV
from sklearn.metrics import log_loss, mutual_info_score, r2_score, roc_auc_score
from sklearn.model_selection import KFold, cross_val_predict, train_test_split
from sklearn.neural_network import MLPRegressor
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

BATCH, VOTES, FRESH_VOTES, VARIANCE_ROWS, INACTIVE = 64, 10_000, 5_000, 10_000, 0.05
SIZES = (10, 100, 1_000, 10_000)


# Information

def bins(columns, count=20):
    """Each column by 20 bins of equal width, closed on the left, the maximum in the last."""
    return np.stack([np.digitize(x, np.histogram(x, count)[1][:-1]) for x in columns.T], axis=1)


def information(a, b):
    """I(a_i, b_k) in nats, [columns of a, columns of b]."""
    return np.array([[mutual_info_score(y, x) for y in b.T] for x in a.T])


def mig(codes, factors):
    shared = np.sort(information(bins(codes), factors), axis=0)
    entropy = np.array([mutual_info_score(y, y) for y in factors.T])
    return {"value": np.mean((shared[-1] - shared[-2]) / entropy)}


def modularity(codes, factors):
    squares = information(bins(codes), factors) ** 2
    largest = squares.max(axis=1)
    rest = (squares.sum(axis=1) - largest) / (largest * (factors.shape[1] - 1))
    return {"value": np.mean(np.where(largest == 0, 0, 1 - rest))}


def mig_continuous(codes, factors):
    """By nearest neighbours of the codes (Ross 2014), without bins."""
    shared = np.sort([mutual_info_classif(codes, y, random_state=0) for y in factors.T], axis=1)
    entropy = np.array([mutual_info_score(y, y) for y in factors.T])
    return {"value": np.mean((shared[:, -1] - shared[:, -2]) / entropy)}


def mutual_info(codes, _=None):
    labels, width = bins(codes), codes.shape[1]
    shared = information(labels, labels)
    np.fill_diagonal(shared, 0)
    return {"value": shared.sum() / (width**2 - width)}


def mine(codes, factors, estimator):
    """MIC and TIC of each code with each factor: the mean over factors of the best code's."""
    from minepy import MINE
    calculator = MINE(alpha=0.6, c=15, est=estimator)

    def pair(x, y):
        calculator.compute_score(x, y)
        return calculator.mic(), calculator.tic(norm=True)

    found = np.array([[pair(x, y) for y in factors.T.astype(float)] for x in codes.T])
    mic, tic = found.max(axis=0).mean(axis=0)
    return {"mic": mic, "tic": tic, "mic_matrix": found[..., 0], "tic_matrix": found[..., 1]}


def mic(codes, factors):
    return {"value": mine(codes, factors, "mic_approx")["mic"]}


def tic(codes, factors):
    return {"value": mine(codes, factors, "mic_approx")["tic"]}


def mic_e(codes, factors):
    return {"value": mine(codes, factors, "mic_e")["mic"]}


def tic_e(codes, factors):
    return {"value": mine(codes, factors, "mic_e")["tic"]}


# Covariances and correlations

def total_correlation(codes, _=None):
    covariance = np.cov(codes, rowvar=False)
    return {"value": 0.5 * (np.sum(np.log(np.diag(covariance))) - np.linalg.slogdet(covariance)[1])}


def wasserstein(codes, _=None):
    covariance = np.cov(codes, rowvar=False)
    apart = np.diag(np.diag(covariance))
    distance = 2 * np.trace(covariance) - 2 * np.trace(sqrtm(apart @ covariance)).real
    return {"value": distance, "normalised": distance / np.trace(covariance)}


def matched(correlations):
    """The mean over pairs of the best one-to-one assignment."""
    strength = np.abs(correlations)
    return {"value": strength[linear_sum_assignment(-strength)].mean()}


def mcc(codes, factors):
    width = codes.shape[1]
    return matched(np.corrcoef(codes, factors, rowvar=False)[:width, width:])


def mcc_spearman(codes, factors):
    width = codes.shape[1]
    return matched(spearmanr(codes, factors)[0][:width, width:])


def gap(scores):
    """The mean over factors of the best code's score less the second best's."""
    ordered = np.sort(scores, axis=0)
    return {"value": np.mean(ordered[-1] - ordered[-2]), "matrix": scores}


def sap_continuous(codes, factors):
    def squared_correlation(x, y):
        (xx, xy), (_, yy) = np.cov(x, y)
        return xy**2 / (xx * yy) if xx > 1e-12 else 0.0
    return gap(np.array([[squared_correlation(x, y) for y in factors.T] for x in codes.T]))


def irs(codes, factors, quantile=0.99):
    codes = codes[:, codes.var(axis=0) > 0]
    if codes.shape[1] == 0:
        return {"value": 0.0}
    largest = np.abs(codes - codes.mean(axis=0)).max(axis=0)

    def deviation(classes):
        groups = [codes[classes == value] for value in np.unique(classes)]
        spread = [np.percentile(np.abs(g - g.mean(axis=0)), 100 * quantile, axis=0) for g in groups]
        return np.mean(spread, axis=0)

    robustness = np.array([1 - deviation(classes) / largest for classes in bins(factors).T])
    return {"value": np.average(robustness.max(axis=0), weights=largest)}


# Predictors

def accuracy(model, x, y):
    return np.mean(model.predict(x) == y)


def sap(train, test):
    def judged(code, factor):
        model = LinearSVC(C=0.01, class_weight="balanced").fit(train[0][:, [code]], train[1][:, factor])
        return accuracy(model, test[0][:, [code]], test[1][:, factor])
    codes, factors = train[0].shape[1], train[1].shape[1]
    return gap(np.array([[judged(code, factor) for factor in range(factors)] for code in range(codes)]))


def explicitness(train, test):
    # The original scales the test rows by the train rows' mean and standard deviation.
    scale = lambda codes: (codes - train[0].mean(axis=0)) / train[0].std(axis=0)
    x_train, x_test = scale(train[0]), scale(test[0])

    def areas(y_train, y_test):
        model = LogisticRegression().fit(x_train, y_train)
        return [roc_auc_score(one_hot(y), model.predict_proba(x)) for x, y in ((x_train, y_train), (x_test, y_test))]

    found = np.array([areas(*columns) for columns in zip(train[1].T, test[1].T)])
    return {"value": found[:, 1].mean(), "train": found[:, 0].mean()}


def one_hot(classes):
    return (classes[:, None] == np.unique(classes)).astype(int)


def boosted_trees(train, test, seed=0):
    """Importances [codes, factors] and accuracies [train or test, factors] of one predictor per factor."""
    models = [GradientBoostingClassifier(random_state=seed).fit(train[0], y) for y in train[1].T]
    importance = np.stack([np.abs(model.feature_importances_) for model in models], axis=1)
    right = [[accuracy(model, x, y) for model, y in zip(models, ys.T)] for x, ys in (train, test)]
    return importance, np.array(right)


def concentration(rows):
    """1 - entropy of each row as shares, to the base of its length; rows weigh as much as they sum to."""
    shares = rows + 1e-11
    shares = shares / shares.sum(axis=1, keepdims=True)
    entropy = -np.sum(shares * np.log(shares), axis=1) / np.log(rows.shape[1])
    rows = rows if rows.sum() > 0 else np.ones_like(rows)
    return np.sum((1 - entropy) * rows.sum(axis=1) / rows.sum())


def dci(train, test, seed=0):
    importance, right = boosted_trees(train, test, seed)
    return {"value": concentration(importance), "disentanglement": concentration(importance),
            "completeness": concentration(importance.T), "informativeness_train": right[0].mean(),
            "informativeness_test": right[1].mean(), "matrix": importance, "right": right}


def logistic_regression_cv(train, test):
    models = [LogisticRegressionCV(Cs=10, cv=KFold(5)).fit(train[0], y) for y in train[1].T]
    return np.array([[accuracy(model, x, y) for model, y in zip(models, ys.T)] for x, ys in (train, test)])


# Identifiability

def dcimig(codes, factors):
    shared = information(bins(codes), factors)
    ordered = np.sort(shared, axis=1)
    gaps, best = ordered[:, -1] - ordered[:, -2], shared.argmax(axis=1)
    kept = [gaps[best == k].max(initial=0) for k in range(factors.shape[1])]
    return {"value": np.sum(kept) / sum(mutual_info_score(y, y) for y in factors.T)}


def mig_sup(codes, factors):
    entropy = np.array([mutual_info_score(y, y) for y in factors.T])
    ordered = np.sort(information(bins(codes), factors) / entropy, axis=1)
    return {"value": np.mean(ordered[:, -1] - ordered[:, -2])}


def jemmig(codes, factors, count=20):
    labels = bins(codes, count)
    shared = information(labels, factors)
    held = np.array([mutual_info_score(x, x) for x in labels.T])
    entropy = np.array([mutual_info_score(y, y) for y in factors.T])
    best, ordered = shared.argmax(axis=0), np.sort(shared, axis=0)
    beside = entropy + held[best] - 2 * ordered[-1] + ordered[-2]
    return {"value": np.mean(1 - beside / (entropy + np.log(count)))}


def infomec(codes, factors):
    """By nearest neighbours, the codes pruned by their range; the classifiers without a penalty."""
    x = StandardScaler().fit_transform(codes)
    entropy = np.array([mutual_info_score(y, y) for y in factors.T])
    shared = np.array([mutual_info_classif(x, y, n_neighbors=10, random_state=0) for y in factors.T])
    shared = (shared / entropy[:, None]).T
    ranges = np.ptp(codes, axis=0)
    shared = shared[ranges > ranges.max() / 20]

    def from_chance(shares, n):
        return (np.mean(shares) - 1 / n) / (1 - 1 / n)

    def told(y):
        model = LogisticRegression(C=np.inf, class_weight="balanced").fit(x, y)
        return 1 - log_loss(y, model.predict_proba(x)) / np.log(len(np.unique(y)))

    modularity = from_chance(shared.max(axis=1) / shared.sum(axis=1), shared.shape[1])
    compactness = from_chance(shared.max(axis=0) / shared.sum(axis=0), shared.shape[0])
    return {"value": modularity, "infoc": compactness, "infoe": np.mean([told(y) for y in factors.T])}


def t_mex(codes, factors, halvings=9, level=1.6448536269514722):
    """Whether a code depends on a factor beyond the others: the projected covariance measure."""
    def statistic(y, x, others, seed):
        learn, test = train_test_split(np.arange(len(y)), test_size=0.5, random_state=seed)
        both = np.column_stack([x, others])
        full = LinearRegression().fit(both[learn], y[learn])
        part = LinearRegression().fit(others[learn], full.predict(both[learn]))
        along = full.predict(both[test]) - part.predict(others[test])
        left = [v - LinearRegression().fit(others[test], v).predict(others[test]) for v in (along, y[test])]
        products = left[0] * left[1]
        return np.sqrt(len(test)) * products.mean() / np.sqrt(max(products.var(), 1e-12))

    def pair(y, k):
        others = np.delete(factors, k, axis=1)
        return np.mean([statistic(y, factors[:, k], others, seed) for seed in range(halvings)])

    rejected = np.array([[pair(y, k) > level for k in range(factors.shape[1])] for y in codes.T])
    found = rejected[linear_sum_assignment(-rejected.astype(float))].sum()
    return {"value": found / min(rejected.shape), "rejections": rejected.sum(),
            "errors": np.sum(rejected != np.eye(*rejected.shape, dtype=bool))}


def r2(codes, factors):
    told = cross_val_predict(LinearRegression(), codes, factors, cv=KFold(5, shuffle=True, random_state=0))
    return {"value": np.mean(np.clip(r2_score(factors, told, multioutput="raw_values"), 0, 1))}


def mcc_coverage(codes, factors):
    width = codes.shape[1]
    strength = np.abs(np.corrcoef(codes, factors, rowvar=False)[:width, width:])
    return {"value": strength[linear_sum_assignment(-strength)].sum() / factors.shape[1]}


def mcc_crossfit(codes, factors):
    width = codes.shape[1]

    def correlation(rows):
        return np.corrcoef(codes[rows], factors[rows], rowvar=False)[:width, width:]

    def judged(learn, rows):
        chosen = correlation(learn)
        pairs = linear_sum_assignment(-np.abs(chosen))
        return np.mean(np.sign(chosen[pairs]) * correlation(rows)[pairs]) * len(rows)

    folds = KFold(5, shuffle=True, random_state=0).split(codes)
    return {"value": sum(judged(*fold) for fold in folds) / len(codes)}


def dci_regression(train, test, seed=0):
    models = [GradientBoostingRegressor(random_state=seed).fit(train[0], y) for y in train[1].T]
    importance = np.stack([model.feature_importances_ for model in models], axis=1)
    told = [np.mean([model.score(x, y) for model, y in zip(models, ys.T)]) for x, ys in (train, test)]
    return {"value": concentration(importance), "completeness": concentration(importance.T),
            "informativeness_train": told[0], "informativeness_test": told[1]}


# Votes: rows that agree in a factor are drawn from the table

class Rows:
    """Rows of a table, and for each factor the rows that agree in its value."""

    def __init__(self, codes, factors, seed=0):
        self.random = np.random.RandomState(seed)
        self.codes = codes
        self.classes = [np.unique(y, return_inverse=True)[1] for y in factors.T]
        self.order = [np.argsort(classes, kind="stable") for classes in self.classes]
        self.counts = [np.bincount(classes) for classes in self.classes]
        self.starts = [np.cumsum(counts) - counts for counts in self.counts]

    def any(self, count):
        return self.random.randint(len(self.codes), size=count)

    def factor(self):
        return self.random.randint(len(self.classes))

    def like(self, rows, factor):
        """For each row one that has the same value of this factor."""
        classes = self.classes[factor][rows]
        steps = (self.random.random_sample(len(rows)) * self.counts[factor][classes]).astype(int)
        return self.order[factor][self.starts[factor][classes] + steps]

    def difference(self, factor, batch):
        """The mean distance in each code of pairs that agree in the factor."""
        rows = self.any(batch)
        return np.abs(self.codes[rows] - self.codes[self.like(rows, factor)]).mean(axis=0)

    def differences(self, count, batch):
        factors = np.array([self.factor() for _ in range(count)])
        return np.array([self.difference(factor, batch) for factor in factors]), factors


def beta_vae_score(codes, factors, seed=0, batch=BATCH, votes=VOTES, fresh=FRESH_VOTES):
    rows = Rows(codes, factors, seed)
    x, y = rows.differences(votes, batch)
    model = LogisticRegression(random_state=seed).fit(x, y)
    return {"value": accuracy(model, *rows.differences(fresh, batch)), "train": accuracy(model, x, y)}


def factor_vae_score(codes, factors, seed=0, batch=BATCH, votes=VOTES, fresh=FRESH_VOTES,
                     variance_rows=VARIANCE_ROWS, threshold=INACTIVE):
    rows = Rows(codes, factors, seed)
    variances = codes[rows.any(variance_rows)].var(axis=0, ddof=1)
    active = np.sqrt(variances) >= threshold
    if not active.any():
        return {"value": 0.0, "train": 0.0}

    def count(number):
        """How often each factor (row) was held fixed when each code (column) varied least."""
        table = np.zeros((factors.shape[1], active.sum()), dtype=int)
        for _ in range(number):
            factor = rows.factor()
            chosen = rows.like(np.repeat(rows.any(1), batch), factor)
            shrunk = codes[chosen].var(axis=0, ddof=1)[active] / variances[active]
            table[factor, np.argmin(shrunk)] += 1
        return table

    train, test = count(votes), count(fresh)
    meaning = train.argmax(axis=0), np.arange(active.sum())
    return {"value": test[meaning].sum() / fresh, "train": train[meaning].sum() / votes}


def higgins_score(codes, factors, seed=0, batch=10, steps=10_000, rate=0.01):
    """As the beta-VAE score, with one softmax layer taught by Adagrad on fresh points."""
    rows, known = Rows(codes, factors, seed), np.eye(factors.shape[1])
    weights = np.zeros((codes.shape[1] + 1, factors.shape[1]))
    squares = np.full_like(weights, 0.1)
    with_bias = lambda x: np.hstack([x, np.ones((len(x), 1))])
    for _ in range(steps):
        x, y = rows.differences(batch, BATCH)
        odds = np.exp(with_bias(x) @ weights)
        gradient = with_bias(x).T @ (odds / odds.sum(axis=1, keepdims=True) - known[y]) / batch
        squares += gradient**2
        weights -= rate * gradient / np.sqrt(squares)
    x, y = rows.differences(FRESH_VOTES, BATCH)
    return {"value": np.mean((with_bias(x) @ weights).argmax(axis=1) == y)}


# Several models

def similarity(a, b, kind):
    """How alike each code of a (row) is to each of b (column)."""
    if kind == "spearman":
        return np.abs([[spearmanr(x, y)[0] for y in b.T] for x in a.T])
    return np.abs(Lasso(alpha=0.1).fit(a, b).coef_.T)


def agreement(similarities):
    def along(axis):
        return np.nan_to_num(similarities.max(axis=axis) ** 2 / similarities.sum(axis=axis)).mean()
    return (along(0) + along(1)) / 2


def udr(models, kl, kind="lasso", threshold=0.01):
    """For each model the median over the others of how well their codes match."""
    scaled = [StandardScaler().fit_transform(z) * (k > 0.01) for z, k in zip(models, kl)]
    pairs = np.zeros((len(models), len(models)))
    for i, j in np.ndindex(pairs.shape):
        if i != j:
            found = similarity(scaled[i], scaled[j], kind)
            pairs[i, j] = agreement(found[kl[i] > threshold][:, kl[j] > threshold])
    scores = [np.median(np.delete(pairs[:, j], j)) for j in range(len(models))]
    return {"value": scores[0], "scores": scores, **{f"udr/model-{j}": score for j, score in enumerate(scores)}}


# Downstream tasks and fairness

def downstream(train, test, learn):
    """The mean test accuracy over factors, by how many of the train rows are used."""
    found = {}
    for size in SIZES:
        right = learn((train[0][:size], train[1][:size]), test)
        found[f"train/{size}"], found[f"test/{size}"] = right.mean(axis=1)
    return {"value": found[f"test/{SIZES[-1]}"], **found}


def downstream_lr(train, test):
    return downstream(train, test, logistic_regression_cv)


def downstream_gbt(train, test):
    return downstream(train, test, lambda *rows: boosted_trees(*rows)[1])


def fairness(train, test, seed=0):
    """How far a prediction moves with a factor it should not depend on, mean over pairs of factors."""
    means, largest = [], []
    for target in range(train[1].shape[1]):
        model = GradientBoostingClassifier(random_state=seed).fit(train[0], train[1][:, target])
        predicted = one_hot(model.predict(test[0]))
        for sensitive in np.delete(test[1], target, axis=1).T:
            groups = [predicted[sensitive == value] for value in np.unique(sensitive)]
            moved = [np.abs(group.mean(axis=0) - predicted.mean(axis=0)).sum() / 2 for group in groups]
            means.append(np.average(moved, weights=[len(group) for group in groups]))
            largest.append(np.max(moved))
    return {"value": np.mean(means), "max": np.mean(largest)}


# Sets of codes and graphs

def alignment(train, test):
    """How well one network, shown one set of codes at a time, tells each factor: R2 [sets, factors]."""
    mean, spread = train[0].mean(axis=0), np.maximum(train[0].std(axis=0), 0.01)
    goal = lambda factors: (factors - train[1].mean(axis=0)) / train[1].std(axis=0)
    show = lambda rows, shown: np.hstack([(rows[0] - mean) / spread * shown, np.tile(shown, (len(rows[0]), 1))])

    def told(sets):
        model = MLPRegressor(hidden_layer_sizes=(128, 128), activation="tanh", alpha=0, batch_size=512 * len(sets),
                             random_state=0, learning_rate_init=4e-3, max_iter=100, n_iter_no_change=100)
        model.fit(np.vstack([show(train, shown) for shown in sets]), np.tile(goal(train[1]), (len(sets), 1)))
        off = [np.mean((model.predict(show(test, shown)) - goal(test[1])) ** 2, axis=0) for shown in sets]
        return 1 - np.array(off) / goal(test[1]).var(axis=0)

    alone = told(np.eye(train[0].shape[1]))
    owner = (alone / np.maximum(alone.max(axis=0), 0.1)).argmax(axis=1)
    together = told(np.eye(train[1].shape[1])[:, owner])
    others = np.where(np.eye(len(together), dtype=bool), -np.inf, together)
    return {"value": np.diag(together).mean(), "r2_separation": others.max(axis=1).mean()}


def shd(learned, true, threshold=0.3):
    """Edges to add, to remove and to turn round; turning round counts once, the diagonal not at all."""
    apart = ~np.eye(len(true), dtype=bool)
    learned, true = (np.abs(learned) > threshold) & apart, (true != 0) & apart
    wrong = learned != true
    return {"value": np.sum(wrong) - np.sum(np.triu(wrong & wrong.T & (learned != learned.T)))}
