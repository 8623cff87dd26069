"""Client of a language server (LSP) over standard streams: documents opened, symbols asked about.

A rename is `textDocument/rename` with a name that is nowhere else; where a server refuses that,
`textDocument/references`. Nothing is written: the edits are only read. A file of the name and the
bytes of a document that was opened, such as a header that a build copies, counts as that document.
"""

from __future__ import annotations

import contextlib
import functools
import json
import queue
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self
from urllib.parse import unquote, urlsplit

# Seconds without a word from a server after which it is taken to be done, and the longest wait.
_QUIET = 3.0
_PATIENCE = 600.0
_ANSWER = 120.0
_NEW_NAME = "renamedByTheBench"
_KINDS = {"valueSet": list(range(1, 27))}
_CAPABILITIES = {
    "textDocument": {
        "rename": {"prepareSupport": True},
        "references": {},
        "documentSymbol": {"hierarchicalDocumentSymbolSupport": True, "symbolKind": _KINDS},
        "callHierarchy": {},
        "typeHierarchy": {},
        "documentLink": {},
        "publishDiagnostics": {},
        "synchronization": {},
    },
    "workspace": {
        "configuration": True,
        "symbol": {"symbolKind": _KINDS},
        "workspaceFolders": True,
        "workspaceEdit": {"documentChanges": True},
    },
    "window": {"workDoneProgress": True},
}

# A file and a line in it, from 1; with a column, from 0 in UTF-16 units.
Line = tuple[Path, int]
Place = tuple[Path, int, int]


class Refused(Exception):
    """The server answers with an error, or not at all; says why in one line."""


class LanguageServer:
    """One server that runs over a folder until it is closed.

    Attributes:
        abilities: what it says that it can do, in the words of the protocol.
    """

    def __init__(
        self, command: Sequence[str], root: Path, *, options: Mapping[str, Any] | None = None
    ) -> None:
        """`options` are those that the server takes when it is initialized."""
        self._process = subprocess.Popen(
            list(command),
            cwd=root,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._number = 0
        self.abilities: Mapping[str, Any] = {}
        self._busy: set[str] = set()
        self._documents: dict[str, list[Path]] = {}
        self._file = functools.cache(self._original)
        self._messages: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()
        self._settings = {
            "processId": None,
            "rootUri": root.as_uri(),
            "workspaceFolders": [{"uri": root.as_uri(), "name": root.name}],
            "capabilities": _CAPABILITIES,
            "initializationOptions": dict(options or {}),
        }

    def __enter__(self) -> Self:
        try:
            answer = self._request("initialize", self._settings)
            self.abilities = (answer or {}).get("capabilities", {})
            self._send("initialized", {})
        except Refused:
            self._end()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with contextlib.suppress(OSError, Refused):
            self._request("shutdown", None, seconds=5)
            self._send("exit", None)
        self._end()

    def _end(self) -> None:
        self._process.kill()
        self._process.wait()
        self._listener.join()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()

    def open(self, path: Path, language: str) -> None:
        """Open a document with the text that its file has."""
        document = {
            "uri": path.as_uri(),
            "languageId": language,
            "version": 1,
            "text": path.read_text(encoding="utf-8", errors="replace"),
        }
        self._documents.setdefault(path.name, []).append(path)
        self._send("textDocument/didOpen", {"textDocument": document})

    def settle(self) -> None:
        """Wait until the server has no work in progress and has said nothing for a while."""
        begun = heard = time.monotonic()
        while time.monotonic() - begun < _PATIENCE:
            try:
                self._receive(0.5)
                heard = time.monotonic()
            except queue.Empty:
                if not self._busy and time.monotonic() - heard > _QUIET:
                    return

    def renamed(self, path: Path, line: int, column: int) -> set[Line]:
        """Return the lines that a rename of the symbol at a place changes, its own among them.

        `line` counts from 1, `column` from 0 in UTF-16 units. Raises Refused.
        """
        place = _position(path, line, column)
        try:
            edit = self._request("textDocument/rename", {**place, "newName": _NEW_NAME})
            return set(self._edited(edit or {}))
        except Refused:
            return self.references(path, line, column, own=True)

    def references(self, path: Path, line: int, column: int, *, own: bool) -> set[Line]:
        """Return the lines that refer to the symbol at a place, with `own` its declarations too.

        Raises Refused, as all that follow.
        """
        context = {"context": {"includeDeclaration": own}}
        parameters = {**_position(path, line, column), **context}
        places = self._request("textDocument/references", parameters)
        return {self._line(place["uri"], place) for place in places or ()}

    def symbols(self, path: Path) -> list[dict[str, Any]]:
        """Return what a document defines: a tree of the protocol's DocumentSymbols."""
        parameters = {"textDocument": {"uri": path.as_uri()}}
        return self._request("textDocument/documentSymbol", parameters) or []

    def links(self, path: Path) -> set[Path]:
        """Return the files that a document links to."""
        parameters = {"textDocument": {"uri": path.as_uri()}}
        links = self._request("textDocument/documentLink", parameters) or ()
        return {self._file(link["target"]) for link in links if link.get("target")}

    def related(self, way: str, path: Path, line: int, column: int) -> dict[Place, list[Place]]:
        """Return the places of what a hierarchy has next to the symbol at a place, each with the
        ends of the names by which one calls the other; `way` is `incomingCalls`, `outgoingCalls`,
        `supertypes` or `subtypes`."""
        kind = "callHierarchy" if way.endswith("Calls") else "typeHierarchy"
        prepare = f"textDocument/prepare{kind[0].upper()}{kind[1:]}"
        places: dict[Place, list[Place]] = {}
        for item in self._request(prepare, _position(path, line, column)) or ():
            for answer in self._request(f"{kind}/{way}", {"item": item}) or ():
                other = answer.get("from") or answer.get("to") or answer
                uri = (answer.get("from") or item)["uri"]
                ends = [self._place(uri, one["end"]) for one in answer.get("fromRanges", ())]
                begin = other["selectionRange"]["start"]
                places.setdefault(self._place(other["uri"], begin), []).extend(ends)
        return places

    def definitions(self, path: Path, line: int, column: int) -> set[Line]:
        """Return the lines where what is named at a place is defined; none if that is not known."""
        try:
            places = self._request("textDocument/definition", _position(path, line, column))
        except Refused:
            return set()
        listed = [places] if isinstance(places, dict) else places or ()
        return {
            self._line(place["targetUri"], {"range": place["targetSelectionRange"]})
            if "targetUri" in place
            else self._line(place["uri"], place)
            for place in listed
        }

    # -- places

    def _edited(self, edit: Mapping[str, Any]) -> Iterator[Line]:
        """Yield the lines that a workspace edit changes."""
        for uri, edits in (edit.get("changes") or {}).items():
            yield from (self._line(uri, one) for one in edits)
        for change in edit.get("documentChanges") or ():
            if "textDocument" in change:
                uri = change["textDocument"]["uri"]
                yield from (self._line(uri, one) for one in change["edits"])

    def _line(self, uri: str, place: Mapping[str, Any]) -> Line:
        """Return the file and line, from 1, at which a range of a document ends.

        It is the end that the name stands at: some servers put more into an edit before it.
        """
        return self._file(uri), place["range"]["end"]["line"] + 1

    def _place(self, uri: str, position: Mapping[str, int]) -> Place:
        return self._file(uri), position["line"] + 1, position["character"]

    def _original(self, uri: str) -> Path:
        """Return the document of which a file is a copy, or the file."""
        file = Path(unquote(urlsplit(uri).path))
        documents = self._documents.get(file.name, ())
        if file in documents or not file.is_file():
            return file
        content = file.read_bytes()
        return next((one for one in documents if one.read_bytes() == content), file)

    # -- messages

    def _send(self, method: str, parameters: Any, **more: Any) -> None:
        self._write({"jsonrpc": "2.0", "method": method, "params": parameters, **more})

    def _write(self, message: Mapping[str, Any]) -> None:
        body = json.dumps(message).encode()
        stream = self._process.stdin
        if stream is None:
            raise Refused("the server takes no input")
        try:
            stream.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
            stream.flush()
        except OSError as error:
            raise Refused(f"the server is gone: {error}") from None

    def _request(self, method: str, parameters: Any, *, seconds: float = _ANSWER) -> Any:
        self._number += 1
        self._send(method, parameters, id=self._number)
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            try:
                message = self._receive(left)
            except queue.Empty:
                break
            if message.get("id") == self._number and "method" not in message:
                if "error" in message:
                    raise Refused(str(message["error"].get("message", message["error"])))
                return message.get("result")
        raise Refused(f"{method}: no answer within {seconds:.0f} seconds")

    def _receive(self, seconds: float) -> dict[str, Any]:
        """Return the next message; what the server itself asks is answered on the way."""
        message = self._messages.get(timeout=seconds)
        if message is None:
            self._messages.put(None)
            raise Refused("the server has ended")
        method = message.get("method")
        if method == "$/progress":
            token, value = str(message["params"]["token"]), message["params"]["value"]
            (self._busy.discard if value.get("kind") == "end" else self._busy.add)(token)
        elif method is not None and "id" in message:
            asked = message.get("params") or {}
            items = asked.get("items", ()) if method == "workspace/configuration" else None
            result = None if items is None else [None] * len(items)
            self._write({"jsonrpc": "2.0", "id": message["id"], "result": result})
        return message

    def _listen(self) -> None:
        stream = self._process.stdout
        while stream is not None and (message := _read(stream)) is not None:
            self._messages.put(message)
        self._messages.put(None)


def _read(stream: IO[bytes]) -> dict[str, Any] | None:
    """Return the next message of a stream, or None at its end."""
    length = 0
    while (header := stream.readline()).strip():
        name, _, value = header.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
    if not header or not length:
        return None
    message: dict[str, Any] = json.loads(stream.read(length))
    return message


def _position(path: Path, line: int, column: int) -> dict[str, Any]:
    """Return the parameters that name a place in a document."""
    return {
        "textDocument": {"uri": path.as_uri()},
        "position": {"line": line - 1, "character": column},
    }
