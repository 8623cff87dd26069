"""What a word is: the lowest room, which every other may ask.

| module | what it knows |
|---|---|
| `identifiers` | the parts of a name in code: getUserName is get, User, Name |
| `scripts` | scripts that are written without spaces, compared by pairs of characters |
| `stems` | a word without its ending |
| `stops` | small words that tell nothing, and words that negate |
"""
