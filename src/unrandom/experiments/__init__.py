"""What does the paper claim, and what do runs say? One file a figure: runs, tables, a picture, verdicts."""
