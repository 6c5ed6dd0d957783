"""The app in the browser: play with a model, audit numbers, filter the claims and watch training.

Each tab has a module that answers and knows no widgets (``play``, ``audits``, ``results``, ``curves``, with
``training`` for the demo), and one with its widgets (``play_tab`` and so on); ``page`` puts the tabs together with
Gradio, and ``server`` starts it on 127.0.0.1. Answers are HTML whose texts are escaped, and
plotly figures; a mistake is answered by one sentence. ``limits`` says how much a visitor can ask for.
"""
