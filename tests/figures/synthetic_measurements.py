"""Measurements with the shapes that the paper reports, made without a model: staircases, heads, planted digits."""

import numpy as np

from unrandom.core.files import JsonObject
from unrandom.runs.measurement import task_json
from unrandom.tasks import FixedModulus, Task, UnseenModulus

FIXED = FixedModulus(modulus=256, mode="streaming", n_sequences=None)
UNSEEN = UnseenModulus(test_moduli=(1800, 2048, 2352), mode="streaming", n_sequences=None)


def share(value: float, total: int) -> JsonObject:
    """A share with a 95 % Wilson interval, as the evaluation saves it."""
    correct, z = round(value * total), 1.96
    p, denominator = correct / total, 1 + z**2 / total
    centre = (p + z**2 / (2 * total)) / denominator
    half = z * np.sqrt(p * (1 - p) / total + z**2 / (4 * total**2)) / denominator
    low, high = max(0.0, float(centre - half)), min(1.0, float(centre + half))
    return {"value": p, "low": low, "high": high, "correct": correct, "total": total}


def clustered(value: float, total: int) -> JsonObject:
    """A share over sequences that share multipliers and increments: the interval is wider, and its method is named."""
    plain = share(value, total)
    low, high = max(0.0, plain["value"] - 0.06), min(1.0, plain["value"] + 0.06)
    kind = "two-way cluster bootstrap over 16 multipliers and 16 increments"
    return {**plain, "low": low, "high": high, "interval": kind}


def by_valuation(factors: dict[int, int], best: float) -> list[JsonObject]:
    """Accuracy by v_p(a − 1): the least that full period allows is the hardest, a = 1 the easiest."""
    groupings = []
    for prime, highest in factors.items():
        least, rows = 2 if prime == 2 and highest > 1 else 1, []
        for v in [*range(least, highest), None]:
            value = best if v is None else best * (1 - 0.3 / (v - least + 1))
            which = {"group": "∞" if v is None else str(v), "units": {"multipliers": 1 if v is None else 8}}
            rows.append({**which, **clustered(value, 64 if v is None else 256)})
        about = f"how often {prime} divides a − 1: the less often, the harder as a rule; ∞ is a = 1, which only counts"
        groupings.append({"label": f"v_{prime}(a − 1)", "about": about, "groups": rows})
    return groupings


def by_period(full: float) -> JsonObject:
    """Arbitrary parameters, grouped by period; the longest is the hardest."""
    rows = [
        {"group": group, "units": {}, **share(value, 64 if value < 0.98 else 300)}
        for group, value in {"1-16": 1.0, "17-32": 0.97, "33-64": full}.items()
    ]
    return {
        "name": "arbitrary",
        "about": "arbitrary (a, c), which training may have seen",
        "last_number_accuracy": share(0.9, 664),
        "by_group": [{"label": "period", "about": "the period of the sequence", "groups": rows}],
    }


def digit_accuracy(prime: int, power: int, seen: np.ndarray, best: float) -> np.ndarray:
    """Certain from t = p^(w+1) on; before that, better the more of the lower digits can be copied."""
    copied = np.floor(np.log(seen + 1e-9) / np.log(prime))
    missing = np.maximum(power + 1 - copied, 0)
    return 1 / prime + (best - 1 / prime) * np.where(missing == 0, 1.0, 0.62**missing)


def one_modulus(modulus: int, factors: dict[int, int], length: int, best: float = 0.9995) -> JsonObject:
    """One entry of "evaluation": overall accuracy is the product of the digits' accuracies."""
    rng, total, seen = np.random.default_rng(modulus), 1024, np.arange(1, length + 1)
    digits = [(prime, power) for prime, highest in factors.items() for power in range(highest)]
    by_digit = np.array([digit_accuracy(prime, power, seen, best) for prime, power in digits])
    rows = [clustered(rng.binomial(total, p) / total, total) for p in by_digit.prod(axis=0)]
    return {
        "part": modulus,
        "name": f"modulus {modulus}",
        "symbol": f"m = {modulus}",
        "basis": modulus,
        "about": "of which training saw no multiplier and no increment",
        "sequences": total,
        "units": {"multipliers": 16, "increments": 16},
        "last_number_accuracy": rows[-1],
        "number_accuracy": clustered(float(np.mean([row["value"] for row in rows])), total * length),
        "by_position": {
            "seen": seen.tolist(),
            **{key: [row[key] for row in rows] for key in ("value", "low", "high")},
        },
        "by_group": by_valuation(factors, best),
        "further": [by_period(rows[-1]["value"])],
        "by_digit": {
            "digits": [f"{prime}^{power}" for prime, power in digits],
            "chance": [1 / prime for prime, _ in digits],
            "period": [prime ** (power + 1) for prime, power in digits],
            "value": by_digit.tolist(),
        },
    }


def metrics(best: float) -> list[JsonObject]:
    """A loss that falls and accuracies that rise, short periods first."""
    rows = []
    for step in range(50, 451, 50):
        done = 1 / (1 + np.exp(-(step - 220) / 45))
        rows.append(
            {
                "step": step,
                "train_loss": 5.5 - 4.6 * done,
                "test_loss": 5.5 - 4.5 * done,
                "token_accuracy": 0.62 * done,
                "number_accuracy": 0.62 * done,
                "last_number_accuracy": best * done**2,
                "train_short_period_accuracy": min(1.0, 1.3 * done),
                "train_long_period_accuracy": 0.6 * done,
                "seconds": step / 10,
                "learning_rate": 1e-3,
            }
        )
    return rows


def attention_head(tokens: int, prime: int, layer: int, head: int) -> JsonObject:
    """A head that looks back by the highest power of the prime that fits, and by the one below it."""
    rng = np.random.default_rng(layer * 10 + head)
    pattern = np.tril(rng.exponential(0.02, size=(tokens, tokens)))
    for query in range(tokens):
        highest = int(np.log(query + 1 + 1e-9) / np.log(prime))
        for power, weight in ((highest, 3.0), (highest - 1, 1.0 + head)):
            if power >= 0:
                pattern[query, query + 1 - prime**power] += weight
    pattern /= pattern.sum(axis=1, keepdims=True)
    by_distance = [float(np.diagonal(pattern, -d).mean()) for d in range(tokens)]
    return {
        "layer": layer,
        "head": head,
        "tokens": tokens,
        "pattern": pattern.tolist(),
        "by_distance": by_distance,
    }


def embedding(tokens: int, moduli: list[int]) -> JsonObject:
    """Parity on PC1, residues mod 4 on PC2-PC3 and mod 8 on PC4-PC5, with noise."""
    rng, x = np.random.default_rng(0), np.arange(tokens)
    angles = [np.pi * x / 2, np.pi * x / 4]
    planted = [2.0 * (-1.0) ** x, *(wave(angle) for angle in angles for wave in (np.cos, np.sin))]
    values = np.stack([*planted, np.zeros(tokens)], axis=1) + 0.08 * rng.normal(size=(tokens, 6))
    shares = [[1.0 if q % (2, 4, 4, 8, 8, 1024)[i] == 0 else 0.02 for i in range(6)] for q in moduli]
    return {
        "labels": "numbers",
        "values": values.tolist(),
        "explained": [0.41, 0.13, 0.12, 0.06, 0.05, 0.02],
        "residue_variance": [
            {"modulus": q, "shares": row, "shuffled": [(q - 1) / (tokens - 1)] * 6}
            for q, row in zip(moduli, shares, strict=True)
        ],
    }


def sample(modulus: int, a: int, c: int, length: int, right_from: int) -> JsonObject:
    """One sequence: mostly wrong before ``right_from`` numbers were seen, right afterwards."""
    rng, numbers = np.random.default_rng(a), [1]
    for _ in range(length):
        numbers.append((a * numbers[-1] + c) % modulus)
    lucky = rng.random(length) < 0.25
    right = [bool(lucky[t]) or t + 1 >= right_from for t in range(length)]
    predicted = [
        truth if good else (truth + modulus // 2) % modulus for truth, good in zip(numbers[1:], right, strict=True)
    ]
    probability = [0.97 if good else 0.11 for good in right]
    return {
        "parameters": f"m = {modulus}, a = {a}, c = {c}, x₀ = 1",
        "numbers": numbers,
        "predicted": predicted,
        "probability": probability,
    }


def run(recipe: str, task: Task) -> JsonObject:
    """The description of a run and of its task, as in saved measurements."""
    return {
        "id": f"{recipe}-1a2b3c4d",
        "recipe": recipe,
        "config": {
            "model": {"depth": 1, "n_heads": 1, "d_model": 64, "vocab_size": 256},
            "data": task.to_json(),
            "optimizer": {"learning_rate": 0.001, "betas": [0.9, 0.99]},
            "seed": 0,
        },
        "task": task_json(task),
        "command": f"unrandom train {recipe}",
        "again": [f"unrandom train {recipe} --seed 0", f"unrandom report runs/{recipe}-1a2b3c4d"],
        "device": "cpu (2 threads)",
        "precision": "fp32; Muon orthogonalises in fp32",
        "versions": {"unrandom": "0.1.0", "torch": "2.13.0", "numpy": "2.4.1", "python": "3.11.9"},
        "commit": None,
        "parameters": 230_400,
        "seed": 0,
        "steps": 450,
        "train_seconds": 43.1,
        "finished": True,
        "caution": "",
        "data_mode": "streaming",
        "created": "2026-01-05T12:00:00Z",
    }


def ceilings(modulus: int, length: int) -> list[JsonObject]:
    """Baselines: copying is never right, the others are certain from some count on, two from the same."""
    first = {"copy": length + 1, "lookback": 32, "algebraic": 3, "bayes": 3}
    seen = list(range(1, length + 1))
    rows = [
        {"predictor": name, "by_position": {"seen": seen, "value": [float(t >= right_from) for t in seen]}}
        for name, right_from in first.items()
    ]
    return [{"part": modulus, "symbol": f"m = {modulus}", "basis": modulus, "predictors": rows}]


def fixed_modulus() -> JsonObject:
    """A one-layer, one-head model on m = 256."""
    sequences = [(5, 31, 128), (13, 7, 128), (21, 3, 64), (29, 101, 128), (37, 55, 100)]
    return {
        "run": run("fm-256", FIXED),
        "metrics": metrics(0.99),
        "evaluation": [one_modulus(256, {2: 8}, 256)],
        "ceilings": ceilings(256, 256),
        "attention": [attention_head(256, 2, 0, 0)],
        "attention_sequence": "m = 256, a = 5, c = 31, x₀ = 1",
        "embedding": embedding(256, [2, 4, 8, 16, 32, 64, 128]),
        "samples": [sample(256, a, c, 256, right) for a, c, right in sequences * 2],
    }


def unseen_modulus() -> JsonObject:
    """A deeper model with two heads in each of two layers, on three moduli it never trained on."""
    moduli = {1800: {2: 3, 3: 2, 5: 2}, 2048: {2: 11}, 2352: {2: 4, 3: 1, 7: 2}}
    heads = [attention_head(128, 2, layer, head) for layer in range(2) for head in range(2)]
    return {
        "run": run("um-2048", UNSEEN),
        "metrics": metrics(0.9),
        "evaluation": [one_modulus(m, factors, 192, 0.985) for m, factors in moduli.items()],
        "ceilings": [],
        "attention": heads,
        "attention_sequence": "m = 2048, a = 5, c = 31, x₀ = 1",
        "embedding": embedding(2457, [2, 3, 4, 5, 7, 8]),
        "samples": [sample(2048, 5, 31, 192, 90), sample(1800, 61, 7, 192, 120)],
    }
