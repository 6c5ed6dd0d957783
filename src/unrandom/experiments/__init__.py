"""Named recipes, and what it takes to run one."""
