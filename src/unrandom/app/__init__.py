"""What can be done in the browser? Play with a model, audit numbers, filter the claims, and watch training.

Each page has a module that answers (``play``, ``audits``, ``results``, ``training``) and knows no widgets; ``page``
puts them together with Gradio, and ``server`` starts it on 127.0.0.1. Answers are HTML whose texts are escaped, and
plotly figures; a mistake is answered by one sentence. ``limits`` says how much a visitor can ask for.
"""
