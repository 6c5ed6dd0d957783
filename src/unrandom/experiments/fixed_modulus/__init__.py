"""The paper's fixed-modulus figures, one file each; ``runs`` has the runs that they share."""
