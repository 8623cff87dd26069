"""What javap prints is read, and compared with what the code graph finds in the sources."""

from __future__ import annotations

import pytest

from bench.bytecode import Bytecode, Call, types_of
from bench.jdk import Sources

LAMP = b"""
package home;
class Lamp extends Device {
  int level = start(1);
  void glow(String how, long... times) { Runnable r = () -> dim(2); other().dim("x"); }
  void dim(int percent) {}
  void dim(String how) {}
  Lamp other() { return this; }
}
class Device { static int start(int n) { return n; } }
"""
PRINTED = """\
Compiled from "Lamp.java"
class home.Lamp extends home.Device {
  int level;

  home.Lamp();
    Code:
         0: aload_0
         1: invokespecial #1                  // Method home/Device."<init>":()V
         7: invokestatic  #2                  // Method start:(I)I

  void glow(java.lang.String, long...);
    Code:
         9: invokevirtual #4                  // Method other:()Lhome/Lamp;
        12: invokevirtual #5                  // Method dim:(Ljava/lang/String;)V
        13: invokedynamic #9,  0              // InvokeDynamic #0:run:()Ljava/lang/Runnable;

  void dim(java.lang.String);
    Code:
         1: invokevirtual #6                  // Method dim:(I)V
         2: invokeinterface #7,  2  // InterfaceMethod java/util/List.add:(Ljava/lang/Object;)Z

  private void lambda$glow$0();
    Code:
         1: invokevirtual #6                  // Method home/Lamp.dim:(I)V
}
Compiled from "Lamp.java"
abstract class home.Device<T extends java.lang.Object> implements home.On, home.Off {
  static {};
    Code:
         1: invokestatic  #6                  // Method start:(I)I
}
"""


@pytest.fixture
def compiled() -> Bytecode:
    """Return what is printed of two classes."""
    found = Bytecode()
    found.read(PRINTED.splitlines())
    return found


def test_calls_are_those_of_the_method_that_is_written(compiled: Bytecode) -> None:
    """What a lambda calls is called by the method around it, what a field calls by making one."""
    kind = "home.Lamp"
    assert compiled.calls == {
        Call(kind, "<init>", "home.Device", "<init>", ()),
        Call(kind, "<init>", kind, "start", ("int",)),
        Call(kind, "glow", kind, "other", ()),
        Call(kind, "glow", kind, "dim", ("String",)),
        Call(kind, "glow", kind, "dim", ("int",)),
        Call(kind, "dim", kind, "dim", ("int",)),
        Call(kind, "dim", "java.util.List", "add", ("Object",)),
        Call("home.Device", "<init>", "home.Device", "start", ("int",)),
    }


def test_classes_have_their_file_and_those_above(compiled: Bytecode) -> None:
    """Bases and interfaces are told from what is in angle brackets."""
    assert compiled.files == {"home.Lamp": "Lamp.java", "home.Device": "Lamp.java"}
    assert list(compiled.all_above("home.Lamp")) == ["home.Device", "home.On", "home.Off"]


def test_types_are_read_from_descriptors() -> None:
    """Arrays, classes inside others and numbers are named as they are written."""
    assert types_of("(I[[JLjava/util/Map$Entry;[Ljava/lang/String;Z)") == (
        "int", "long[][]", "Entry", "String[]", "boolean",
    )  # fmt: skip


def test_what_is_found_is_compared_with_what_was_compiled(compiled: Bytecode) -> None:
    """Precision and recall are of calls by file, method and what is called."""
    code = Sources({"java.base/home/Lamp.java": LAMP})
    lines = list(code.compared(compiled).lines(listed=3))
    assert lines == [
        "files 1, calls found 4, compiled 5",
        "precision 1.000  recall 0.800",
        "missed java.base/home/Lamp.java dim → Lamp.dim",
    ]
