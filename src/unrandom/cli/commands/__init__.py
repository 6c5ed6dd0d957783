"""Which commands are there? One module each, with what can be typed (`add`) and what is done (`run`).

A module imports nothing heavy before it is run, so that ``unrandom --help`` answers at once.
"""

from unrandom.cli.commands import (
    audit,
    bench,
    claims,
    demo,
    evaluate,
    predict,
    report,
    reproduce,
    resume,
    speedrun,
    sweep,
    train,
)

COMMANDS = {
    "demo": demo,
    "train": train,
    "resume": resume,
    "sweep": sweep,
    "evaluate": evaluate,
    "predict": predict,
    "report": report,
    "reproduce": reproduce,
    "claims": claims,
    "speedrun": speedrun,
    "audit": audit,
    "bench": bench,
}
"""In the order in which ``--help`` lists them."""
