"""Exception hierarchy.

MemkitError
├── StoreError
│   ├── NotAMemkitFile     the file is something else, or is missing in a read-only open
│   ├── SchemaTooNew       written by a later memkit
│   ├── StoreBusy          another process held the file for longer than the time-out
│   ├── StoreDamaged       the file is malformed, or holds what memkit cannot have written
│   ├── StoreReadOnly      the file or its folder cannot be written
│   ├── StoreFull          no room left on the disk, or the file has reached its limit
│   ├── StoreMoved         the file was replaced while a write was under way
│   └── ForeignObject      the file holds a table, trigger or view that memkit did not make
├── EncoderError
│   ├── ModelMissing       no model at that place
│   └── ModelChanged       the vectors in the file are of another model
├── NotFound               (also LookupError) no such memory, tag or query
├── InvalidInput           (also ValueError) an argument has a value that means nothing
├── ContextOverflow        what must stay in a context is larger than its limit
├── SecretFound            a secret stands where none may be replaced by a marker
└── Disabled               memkit was switched off

Every message is one line: the thing, what was found, what was expected, the next step.
`code` is the stable word for machines (`--json` prints it).
"""

from __future__ import annotations

# Characters of a message: it may name something of a megabyte.
_LONGEST = 2000


class MemkitError(Exception):
    """Base of all errors that memkit raises on purpose.

    A message is one line and repeats no secret of an argument.
    """

    code = "error"

    def __init__(self, message: str = "") -> None:
        from .redaction import redact

        line = " ".join(redact(message).text.splitlines())
        super().__init__(line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…")


class StoreError(MemkitError):
    """The file cannot be used as asked."""

    code = "store"


class NotAMemkitFile(StoreError):
    """The file is not a memkit store, or there is none."""

    code = "not_a_memkit_file"


class SchemaTooNew(StoreError):
    """The file was written by a later memkit than this one."""

    code = "schema_too_new"


class StoreBusy(StoreError):
    """Another process held the file for longer than the time-out."""

    code = "store_busy"


class StoreDamaged(StoreError):
    """The file is malformed, or holds what memkit cannot have written."""

    code = "store_damaged"


class StoreReadOnly(StoreError):
    """The file, or the folder it lies in, cannot be written."""

    code = "store_read_only"


class StoreFull(StoreError):
    """The disk is full, or the file has reached the limit set for it."""

    code = "store_full"


class StoreMoved(StoreError):
    """The file was replaced by another program while a write was under way."""

    code = "store_moved"


class ForeignObject(StoreError):
    """The file holds a table, index, trigger or view that memkit did not make."""

    code = "foreign_object"


class EncoderError(MemkitError):
    """Text cannot be turned into vectors as asked."""

    code = "encoder"


class ModelMissing(EncoderError):
    """There is no model at the place named."""

    code = "model_missing"


class ModelChanged(EncoderError):
    """The vectors in the file were made by another model."""

    code = "model_changed"


class NotFound(MemkitError, LookupError):
    """No such memory, tag, query or setting."""

    code = "not_found"


class InvalidInput(MemkitError, ValueError):
    """An argument has a value that means nothing here."""

    code = "invalid_input"


class SecretFound(MemkitError):
    """A secret stands where it cannot be replaced by a marker (an identifier, a path)."""

    code = "secret_found"


class ContextOverflow(MemkitError):
    """What must stay in a context is larger than its limit.

    Attributes:
        tokens: what has to stay. max_tokens: the limit.
    """

    code = "context_overflow"

    def __init__(self, message: str = "", *, tokens: int = 0, max_tokens: int = 0) -> None:
        super().__init__(message)
        self.tokens, self.max_tokens = tokens, max_tokens


class Disabled(MemkitError):
    """memkit was switched off by MEMKIT_DISABLED."""

    code = "disabled"
