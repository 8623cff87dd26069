"""The file itself: opened safely, shared with other processes and programs, asked by named queries.

Modules:

- opening, and staying open:
    opening, lifecycle, openfile, forking, journal, places, waiting
- queries and transactions:
    connection, sqlfiles, tables, faults
- what the file must look like:
    schema, check, salvage
- what is stored alike everywhere:
    ids, times, time_ranges, time_words, local_settings
"""
