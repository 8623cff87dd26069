"""Query to ranked hits: what answers a question, with the reasons.

Modules:

- the way of a query:
    retriever, pipeline, records, serving_log, explanation
- what is looked for:
    query, spelling, word_lists, entity_match, action_match, event_times
- candidates:
    candidates, graph_expansion, code_context, past_events
- evidence:
    features, late_interaction, time_evidence
- tasks, errors and failed attempts beside memories:
    episode_query, episode_ranker, episode_retriever
- from evidence to a probability, and to a list:
    weights, ranker, selection
"""
