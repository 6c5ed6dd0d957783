"""How much context and compute do larger moduli need? The paper's section on scaling, and what reduces both."""
