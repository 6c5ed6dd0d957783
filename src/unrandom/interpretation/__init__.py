"""What is inside a trained model? Functions from its arrays to small tables; nothing here draws."""

from unrandom.interpretation.attention import attention_by_distance, strongest_distances
from unrandom.interpretation.embedding import (
    PrincipalComponents,
    ResidueVariance,
    embedding_table,
    principal_components,
    residue_variance,
)

__all__ = [
    "PrincipalComponents",
    "ResidueVariance",
    "attention_by_distance",
    "embedding_table",
    "principal_components",
    "residue_variance",
    "strongest_distances",
]
