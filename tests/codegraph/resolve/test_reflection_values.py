"""What is found by constant names and by classes as values, in whichever language says so."""

from __future__ import annotations

from textwrap import dedent

import pytest

from memkit.codegraph.facts import Definition
from memkit.codegraph.resolve import Edge
from tests.tables import each_row

from ..programs import Sources, calls

LAMPS = """
package home;
public class Lamp extends Device {
  public Lamp() {}
  public Lamp(int watts) {}
  public static void all() {}
  public void glow() {}
  public void dim(int percent) {}
  public void dim(Integer percent) {}
  public void dim(long percent) {}
  public void dim(Device other, String how) {}
  protected void stop() {}
  public Device plug = new Device();
  public static class Bulb { public void burn() {} public void name() {} }
}
class Device { void stop() {} void start() {} public String toString() { return ""; } }
"""
# Statements of a method → what they call, with the types of parameters.
CALLED = {
    "a method by its name": ('Lamp.class.getMethod("glow").invoke(lamp);', "Lamp.glow()"),
    "a method without an object": (
        'Lamp.class.getDeclaredMethod("all").invoke(null);',
        "Lamp.all()",
    ),
    "a name of a local variable": (
        'final String name = "glow"; Method m = Lamp.class.getMethod(name); m.invoke(lamp);',
        "Lamp.glow()",
    ),
    "a name of a constant": ("Lamp.class.getMethod(GLOW).invoke(lamp);", "Lamp.glow()"),
    "a name that is put together": (
        'Lamp.class.getMethod(Names.START + "op").invoke(lamp);',
        "Lamp.stop()",
    ),
    "a name that is assigned twice": (
        'String name = "glow"; name = x; Lamp.class.getMethod(name).invoke(lamp);',
        "",
    ),
    "a name that is not known": ("Lamp.class.getMethod(x).invoke(lamp);", ""),
    "what is only asked of a method": (
        'Method m = Lamp.class.getMethod("glow"); m.getName(); m.setAccessible(true);',
        "",
    ),
    "overloads by a primitive type": (
        'Lamp.class.getMethod("dim", int.class).invoke(lamp, 1);',
        "Lamp.dim(int)",
    ),
    "overloads by a class": (
        'Lamp.class.getMethod("dim", Integer.class).invoke(lamp, 1);',
        "Lamp.dim(Integer)",
    ),
    "overloads by an array of types": (
        'Lamp.class.getMethod("dim", new Class[] {Device.class, String.class}).invoke(lamp);',
        "Lamp.dim(Device,String)",
    ),
    "a method as the object has it": (
        'Device.class.getMethod("stop").invoke(lamp);',
        "Lamp.stop()",
    ),
    "a class by its name": (
        'Class<?> kind = Class.forName("home.Lamp"); kind.getMethod("glow").invoke(lamp);',
        "Lamp.glow()",
    ),
    "a class inside another": (
        'Class.forName("home.Lamp$Bulb").getMethod("burn").invoke(lamp);',
        "Lamp.Bulb.burn()",
    ),
    "a class of an object": ('lamp.getClass().getMethod("glow").invoke(lamp);', "Lamp.glow()"),
    "an object of a class": ("Lamp.class.newInstance().glow();", "Lamp.Lamp() Lamp.glow()"),
    "a constructor": (
        "Lamp.class.getConstructor(int.class).newInstance(60);",
        "Lamp.Lamp(int)",
    ),
    "a static handle": (
        'MethodHandles.lookup().findStatic(Lamp.class, "all", methodType(void.class)).invoke();',
        "Lamp.all()",
    ),
    "a handle with its types": (
        "MethodType type = MethodType.methodType(void.class, long.class);"
        ' MethodHandle h = lookup.findVirtual(Lamp.class, "dim", type); h.invokeExact(lamp, 1L);',
        "Lamp.dim(long)",
    ),
    "a handle of an object's class": (
        'lookup.findVirtual(Device.class, "stop", type).invoke(new Lamp(1));',
        "Lamp.Lamp(int) Lamp.stop()",
    ),
    "a handle of one class alone": (
        'lookup.findSpecial(Device.class, "stop", type, Lamp.class).invoke(lamp);',
        "Device.stop()",
    ),
    "a handle of a constructor": (
        "lookup.findConstructor(Lamp.class, methodType(void.class, int.class)).invoke(60);",
        "Lamp.Lamp(int)",
    ),
    "a handle bound to an object": (
        'lookup.findVirtual(Lamp.class, "glow", type).bindTo(lamp).invoke();',
        "Lamp.glow()",
    ),
    "a field": ('Lamp.class.getField("plug").get(lamp).start();', "Device.start()"),
    "a handle of a field": (
        'lookup.findGetter(Lamp.class, "plug", Device.class).invoke(lamp).start();',
        "Device.start()",
    ),
    "a cast by a class": ("Lamp.class.cast(x).glow();", "Lamp.glow()"),
    "a check by a class": ("if (Lamp.class.isInstance(x)) x.glow();", "Lamp.glow()"),
    "a check of a class": (
        "if (Lamp.class.isAssignableFrom(x.getClass())) x.glow();",
        "Lamp.glow()",
    ),
    "a comparison of classes": ("if (x.getClass() == Lamp.class) x.glow();", "Lamp.glow()"),
    "an object of a class that is given": ("find(Lamp.class).glow();", "Lamp.glow()"),
    "an object of a class that is not known": ("any(kind).start();", "Device.start()"),
    "a class's own methods": ("Lamp.Bulb.class.name(); lamp.getClass().glow();", ""),
    "a constructor as a function": (
        "Maker<Lamp> maker = Lamp::new; maker.make();",
        "Lamp.Lamp()",
    ),
    "what a constructor as a function makes": (
        "var maker = Lamp::new; maker.make(60).glow();",
        "Lamp.Lamp(int) Lamp.glow()",
    ),
    "what is known of a value that is cast": (
        "Object it = new Lamp(1); ((Device) it).stop();",
        "Lamp.Lamp(int) Device.stop() Lamp.stop()",
    ),
}
USE = """
package home;
interface Names {{ String START = "st"; String GLOW = "glow"; }}
class Use implements Names {{
  <T> T find(Class<T> kind) {{ return null; }}
  <T extends Device> T any(Class<T> kind) {{ return null; }}
  void use(Lamp lamp, Object x, Lookup lookup, Class<?> kind) {{ {} }}
}}
"""


@each_row("case", CALLED)
def test_java(case: str) -> None:
    """A call through reflection is one of what runs, no more and no less."""
    source, expected = CALLED[case]
    sources = Sources({"Lamp.java": LAMPS, "Use.java": USE.format(source)})
    found = sources.facts["Lamp.java"].definitions
    called = {
        _with_types(found[edge.target])
        for edge in sources.resolved("Use.java").edges
        if edge.kind == "calls" and edge.path == "Lamp.java"
    }
    assert called == set(expected.split())


def _with_types(definition: Definition) -> str:
    listed = definition.signature.partition("(")[2].rpartition(")")[0].split(",")
    return f"{definition.qualname}({','.join(one.split()[0] for one in listed if one)})"


PROXY = """
package home;
import java.lang.reflect.*;
interface Greeter { void greet(); }
class Recorder implements InvocationHandler {
  public Object invoke(Object proxy, Method method, Object[] args) { return null; }
}
class Use {
  static Object wrap(InvocationHandler handler) {
    return Proxy.newProxyInstance(null, new Class[0], new Recorder());
  }
  void whole() { ((Greeter) wrap(null)).greet(); }
  void inPlace() {
    Greeter it = (Greeter) Proxy.newProxyInstance(a, b, (proxy, method, args) -> other());
    it.greet();
  }
  Object other() { return null; }
}
"""


def test_methods_of_a_proxy_are_its_handler() -> None:
    """Calling any method of a dynamic proxy runs its handler, be it an object or a lambda."""
    found = calls({"Use.java": PROXY})
    assert ("Use.java:Use.whole", "Use.java:Recorder.invoke") in found
    assert ("Use.java:Use.inPlace", "Use.java:Use.inPlace.<lambda>") in found


def test_a_method_named_invoke_is_called_itself() -> None:
    """A method of the tree that is named as what runs a handle is a method as any other."""
    source = """
        class Hook { void invoke(int a) {} void invoke(int a, int b) {} void newInstance() {} }
        class Use { void run(Hook hook) { hook.invoke(1, 2); hook.newInstance(); } }
        """
    sources = Sources({"Use.java": source})
    called = {_with_types(sources.facts["Use.java"].definitions[e.target]) for e in _of(sources)}
    assert called == {"Hook.invoke(int,int)", "Hook.newInstance()"}


def _of(sources: Sources) -> list[Edge]:
    return [one for one in sources.resolved("Use.java").edges if one.kind == "calls"]


# Other languages: files, and what function `use` of the first calls.
OTHERS = {
    "python": (
        {
            "use.py": """
                import importlib
                from names import ON, NAMES
                class Lamp:
                    OFF = "off"
                    def on(self): pass
                    def off(self): pass
                def use(which):
                    getattr(Lamp(), ON)()
                    getattr(Lamp(), Lamp.OFF)()
                    getattr(Lamp(), which)()
                    importlib.import_module("tools.saw").cut()
                    __import__("tools").tidy()
                """,
            "names.py": "ON = 'on'\nNAMES = 'off'\nNAMES = 'none'\n",
            "tools/__init__.py": "def tidy(): pass\n",
            "tools/saw.py": "def cut(): pass\n",
        },
        {"use.py:Lamp.on", "use.py:Lamp.off", "tools/saw.py:cut", "tools/__init__.py:tidy"},
    ),
    "javascript": (
        {
            "use.js": """
                import { ON } from './names';
                class Lamp { on() {} off() {} dim() {} }
                const table = { on() {}, off() {} };
                export function use(which) {
                  const off = 'off';
                  new Lamp()[off]();
                  table[ON]();
                  new Lamp()[which]();
                }
                """,
            "names.js": "export const ON = 'on';\n",
        },
        {"use.js:Lamp.off", "use.js:table.on"},
    ),
    "ruby": (
        {
            "use.rb": """
                class Lamp
                  def on; end
                  def off; end
                  def dim; end
                  def use
                    send(:on)
                    public_send("off", 1)
                    method(:dim).call
                  end
                end
                """
        },
        {"use.rb:Lamp.on", "use.rb:Lamp.off", "use.rb:Lamp.dim"},
    ),
    "go": (
        {
            "use.go": """
                package home
                import "reflect"
                const on = "On"
                type Lamp struct{}
                func (Lamp) On() {}
                func (Lamp) Off() {}
                func use() {
                  reflect.ValueOf(Lamp{}).MethodByName(on).Call(nil)
                  method := reflect.ValueOf(Lamp{}).MethodByName("Off")
                  method.Call(nil)
                }
                """
        },
        {"use.go:Lamp.On", "use.go:Lamp.Off"},
    ),
    "csharp": (
        {
            "use.cs": """
                using System;
                namespace Home {
                  class Lamp {
                    public void On() {}
                    public static void Off() {}
                    public void Dim() {}
                  }
                  class Use {
                    const string Named = "Dim";
                    void use(Lamp lamp) {
                      typeof(Lamp).GetMethod("On").Invoke(lamp, null);
                      typeof(Lamp).GetMethod(nameof(Lamp.Off)).Invoke(null, null);
                      lamp.GetType().GetMethod(Named).Invoke(lamp, null);
                    }
                  }
                }
                """
        },
        {"use.cs:Lamp.On", "use.cs:Lamp.Off", "use.cs:Lamp.Dim"},
    ),
}


@pytest.mark.parametrize("language", OTHERS)
def test_other_languages(language: str) -> None:
    """One rule finds what is named by a constant in all of them."""
    files, expected = OTHERS[language]
    texts = {path: dedent(text) for path, text in files.items()}
    made = {target for source, target in calls(texts) if source.endswith((":use", ".use"))}
    assert made == expected
