"""From a question to the memories that answer it, with the reasons.

Modules:

- the way of a question:
    recall, answer, merging, served, explaining, reasons
- what is asked:
    request, question, asked, words, naming, filters, records
- candidates:
    legs, gather, pool, view, related, cascade, in_code
- evidence:
    features, meaning, late, encoded, matrix, belief, longer
- from evidence to a chance, and to a list:
    weights, rank, decide
- what other rooms ask of it:
    foretelling
"""
