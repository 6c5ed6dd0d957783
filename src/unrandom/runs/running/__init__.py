"""Where and how are runs trained? `execution` of one; many of them by a `plan`, `worker` processes and `engines`."""
