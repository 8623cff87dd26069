"""What comes again in what was done, and how sure that is.

Modules:

- what is learnt, and from which tasks:
    patterns, records, learning
- what one task bears out:
    sightings, steps
"""
