"""Files of run folders as training writes them, without training."""

from typing import Any


def manifest(recipe: str = "x", steps: int = 5) -> dict[str, Any]:
    """A manifest of a run that cannot be opened, as its configuration has nothing but its steps."""
    return {
        "recipe": recipe,
        "config": {"steps": steps},
        "parameters": 1,
        "split": {},
        "command": "unrandom train x",
        "device": "cpu",
        "versions": {},
        "commit": None,
        "created": "2026-01-01T00:00:00+00:00",
    }


def measured() -> dict[str, Any]:
    """What is measured of a model that gets half of everything right."""
    accuracies = dict.fromkeys(("token_accuracy", "number_accuracy", "last_number_accuracy"), 0.5)
    parts = {"test": {"last_number_accuracy": 0.5}}
    return {"test_loss": 1.0, **accuracies, "accuracy_after": {"1": 0.5}, "test_parts": parts}


def metrics_line(step: int, **others: Any) -> dict[str, Any]:
    """One evaluation, in which half of everything is right unless ``others`` say otherwise."""
    return {"step": step, "train_loss": 1.0, **measured(), "learning_rate": 0.001, "seconds": 1.0, **others}
