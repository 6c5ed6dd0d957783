"""Names the extra that brings a package which is not installed."""

OF_EXTRA = {
    "lab": ("torch", "einops", "safetensors", "polars", "filelock", "matplotlib", "PIL", "plotly", "jinja2"),
    "app": ("gradio",),
}
"""The packages, by their import names, that everything outside audits, generators and ``unrandom lcg`` may import."""


def extra_needed(what: str, error: ModuleNotFoundError) -> str | None:
    """The message that ``what`` needs an extra; None if no extra brings the module that was not found."""
    module = (error.name or "").partition(".")[0]
    found = [extra for extra, modules in OF_EXTRA.items() if module in modules]
    return f"{what} needs the extra {found[0]}: pip install 'unrandom[{found[0]}]'" if found else None
