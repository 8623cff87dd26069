"""Recording of events as rows.

adapter → `Event` (event.py) → normalizer.py → buffer and writer (writer.py). Adapters are the
methods of `Session` and `Task` (session.py), dictionaries (hooks.py) and transcripts (the package
beside this one); `Recorder.record` takes what they make, with a `WritePolicy` beside it.

To take another hook of an agent: a line of the table `EVENTS` in hooks.py. Names of tools and
parameters that memkit does not know: the word lists of tool_vocabulary.py.
"""
