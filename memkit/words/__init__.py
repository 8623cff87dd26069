"""What a word is: the lowest room, which every other may ask.

Modules:

- how developers shorten words (env, repo, auth):
    abbreviations
- what does a thing, called after it (linter, lint):
    doers
- from bytes to text:
    encodings
- Unicode's forms:
    forms
- the parts of a name in code (getUserName is get, User, Name):
    identifiers
- scripts that are written without spaces, compared by pairs of characters:
    scripts
- a word without its ending:
    stems
- small words that tell nothing, and words that negate:
    stops
"""
