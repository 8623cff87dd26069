"""What comes next, with the reasons, and how these are learnt.

Modules:

- the door, and what is foretold:
    predicting, signals
- what the store knows for it:
    evidence, mentions, imported
- reasons:
    companions, trail, occasions
- what each reason counts:
    weighing, practice, fulfilment
"""
