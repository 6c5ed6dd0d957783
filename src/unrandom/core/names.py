"""Names that a user may choose from, for the command line and for the code that they name, without heavy imports."""

from typing import Literal, get_args

Scale = Literal["smoke", "laptop", "overnight", "paper"]
Raw = Literal["u8", "u16", "u32", "u64", "f32", "f64", "u16be", "u32be", "u64be", "f32be", "f64be", "utf8"]
"""Raw words: unsigned integers or floats of this many bits, little-endian or big-endian; or bytes as text in UTF-8."""

SCALES: tuple[Scale, ...] = get_args(Scale)
RAW_TYPES: tuple[Raw, ...] = get_args(Raw)
ENGINES = ("local", "ray", "slurm")
LOGS = ("csv", "tensorboard", "wandb")
EXPORT_FORMATS = ("huggingface", "transformerlens", "safetensors")
