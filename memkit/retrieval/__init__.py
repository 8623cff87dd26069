"""Query to ranked hits: what answers a question, with the reasons.

Modules:

- the way of a query:
    retriever, pipeline, records, serving_log, explanation
- what is looked for:
    query, word_lists, entity_match, event_times
- candidates:
    candidates, graph_expansion, code_context
- evidence:
    features, late_interaction, time_evidence
- from evidence to a probability, and to a list:
    weights, ranker, selection
"""
