"""The context and the compute that larger moduli need (the paper's section on scaling), and what reduces both."""
