"""Kotlin as facts, and what its calls mean: packages, extensions, inferred types, platforms."""

from __future__ import annotations

from tests.tables import each_row

from ..programs import Sources, facts_of, kinds, symbols

# What every row may call.
SHOP = """
package shop

open class Item(val name: String) {
  open fun price(): Int = 1
  fun tag(): Tag = Tag()
  fun take(count: Int): Item = this
  fun take(other: Item): Item = other
  fun take(text: String): Item = this
}
class Tag { fun show() {} }
class Book(title: String, val author: Author) : Item(title) {
  override fun price(): Int = author.fee()
}
class Author { fun fee(): Int = 2 }
"""
# Sources of a file beside SHOP, whose function `run` is asked → what it calls. Of several
# definitions of one name the line of the file is said.
CALLS = {
    "constructors, primary and secondary": (
        """
        class A(val n: Int) {
          constructor(text: String) : this(text.length) { log() }
          fun log() {}
        }
        fun run() { A(1).log(); A("x") }
        """,
        {"A.A:2", "A.A:3", "A.log"},
    ),
    "a class without a constructor": (
        "class A { fun f() {} }\nfun run() = A().f()",
        {"A.f"},
    ),
    "inherited members, and those of a base that is called": (
        "fun run(book: Book) { book.tag().show(); book.price() }",
        {"Item.tag", "Tag.show", "Book.price"},
    ),
    "interfaces with bodies, and super": (
        """
        interface Seen {
          fun see() { base() }
          fun base() {}
        }
        class Eye : Seen {
          override fun see() { super<Seen>.see() }
          fun run() { this.see(); base() }
        }
        """,
        {"Eye.see", "Seen.base"},
        "Eye.run",
    ),
    "objects and companions": (
        """
        object Log {
          fun put() {}
          val tag get() = Tag()
        }
        class Box {
          companion object {
            fun make() = Box()
            val first: Item = Item("")
          }
        }
        fun run() { Log.put(); Log.tag.show(); Box.make(); Box.Companion.make(); Box.first.tag() }
        """,
        {"Log.put", "Log.tag", "Tag.show", "Box.make", "Item.tag"},
    ),
    "enums, with bodies and members": (
        """
        enum class Size(val n: Int) {
          SMALL(1),
          BIG(2) { override fun grow() = 3 };
          open fun grow() = n
          fun show() {}
        }
        fun run() { Size.SMALL.grow(); Size.BIG.show(); for (s in Size.entries) s.show() }
        """,
        {"Size.grow", "Size.show"},
    ),
    "properties with getters, inferred types, and lazy": (
        """
        class A {
          val tag by lazy { Tag() }
          val made get() = Tag()
          val held = Item("")
        }
        val A.more: Tag get() = Tag()
        fun run(a: A) { a.tag.show(); a.made.show(); a.held.tag(); a.more.show() }
        """,
        {"Tag.show", "A.made", "Item.tag", "more"},
    ),
    "a delegate of the tree": (
        """
        class By {
          operator fun getValue(a: Any?, b: Any?): Tag = Tag()
        }
        fun run() { val tag by By(); tag.show() }
        """,
        {"By.getValue", "Tag.show"},
    ),
    "extensions by the type of their receiver": (
        """
        fun Item.sell() {}
        fun Tag.sell() {}
        fun String.sell() {}
        fun run(item: Book, tag: Tag) { item.sell(); tag.sell(); "x".sell() }
        """,
        {"sell:2", "sell:3", "sell:4"},
    ),
    "a member comes before an extension, unless it takes other arguments": (
        """
        fun Item.price(): Int = 2
        fun Item.price(sale: Boolean): Int = 2
        fun run(item: Item) { item.price(); item.price(true) }
        """,
        {"Item.price", "price:3"},
    ),
    "extensions inside of a class": (
        """
        class Desk {
          fun Item.scan() { tag() }
          fun run(item: Item) { item.scan() }
        }
        """,
        {"Desk.scan"},
        "Desk.run",
    ),
    "this of an extension is implied": (
        "fun Item.run() { tag().show(); this.price() }",
        {"Item.tag", "Tag.show", "Item.price"},
    ),
    "this with a label": (
        """
        class Outer {
          fun f() {}
          inner class Inner {
            fun f() {}
            fun run() { f(); this@Outer.f() }
          }
        }
        """,
        {"Outer.f", "Outer.Inner.f"},
        "Outer.Inner.run",
    ),
    "let, also, run, apply, with": (
        """
        fun run(item: Item?) {
          item?.let { it.tag() }?.show()
          item!!.apply { price() }.take(1)
          with(Book("", Author())) { author.fee() }
          Item("").run { tag() }.show()
          Item("").also { one -> one.price() }
        }
        """,
        {
            "Item.tag",
            "Tag.show",
            "Item.price",
            "Item.take:6",
            "Book.Book",
            "Author.fee",
            "Item.Item",
        },
    ),
    "functions in place with a receiver": (
        """
        class Page {
          fun line() {}
        }
        fun page(block: Page.() -> Unit) {}
        fun each(block: (Item) -> Unit) {}
        fun run() { page { line(); this.line() }
          each { it.price() }
          each { item -> item.tag() } }
        """,
        {"page", "Page.line", "each", "Item.price", "Item.tag"},
    ),
    "a type parameter stands for the receiver": (
        """
        inline fun <T : Any, R> T.using(block: (T) -> R): R = block(this)
        fun <T> same(value: T): T = value
        fun run(item: Item) { item.using { it.tag() }
          same(item).price() }
        """,
        {"using", "Item.tag", "same", "Item.price"},
    ),
    "smart casts": (
        """
        fun run(a: Any, b: Any, c: Any, d: Any, e: Any) {
          if (a is Item) a.price()
          if (b !is Item) return
          b.tag()
          c as Tag
          c.show()
          when (d) { is Author -> d.fee()
            is Tag, is Item -> {} }
          if (e is Book && e.price() > 1) {}
        }
        """,
        {"Item.price", "Item.tag", "Tag.show", "Author.fee", "Book.price"},
    ),
    "values of branches": (
        """
        fun pick(b: Boolean) = if (b) Item("") else null
        fun run(n: Int) {
          val x = when (n) { 1 -> Tag()
            else -> null }
          x?.show()
          val y = try { Author() } catch (e: Exception) { null }
          y?.fee()
          val z = pick(true) ?: return
          z.price()
        }
        """,
        {"Tag.show", "Author.fee", "pick", "Item.price"},
    ),
    "overloads by types, defaults and names": (
        """
        fun sell(item: Item, count: Int = 1, gift: Boolean = false) {}
        fun sell(text: String) {}
        fun run(item: Item) { sell(item, gift = true); sell("x"); item.take(1); item.take(item)
          item.take("x") }
        """,
        {"sell:2", "sell:3", "Item.take:6", "Item.take:7", "Item.take:8"},
    ),
    "operators and infix calls": (
        """
        class Sum {
          operator fun plus(other: Sum) = this
          operator fun get(i: Int) = Item("")
          operator fun invoke() = Tag()
          operator fun contains(i: Int) = true
          operator fun plusAssign(i: Int) {}
          infix fun and(other: Sum) = this
        }
        fun run(a: Sum, b: Sum) {
          (a + b)[1].price()
          a().show()
          1 in a
          a += 1
          a and b
        }
        """,
        {
            "Sum.plus",
            "Sum.get",
            "Item.price",
            "Sum.invoke",
            "Tag.show",
            "Sum.contains",
            "Sum.plusAssign",
            "Sum.and",
        },
    ),
    "destructuring of data classes, pairs and lists; copies": (
        """
        data class Line(val item: Item, val tag: Tag)
        fun run(line: Line, lines: List<Line>) {
          val (item, tag) = line
          item.price(); tag.show()
          val (x, y) = Author() to Item("")
          x.fee(); y.tag()
          for ((first, _) in lines) first.take(1)
          line.copy(tag = Tag()).item.price()
        }
        """,
        {
            "Item.price",
            "Tag.show",
            "Author.fee",
            "Item.tag",
            "Item.take:6",
            "Line.Line",
            "Item.Item",
        },
    ),
    "collections": (
        """
        fun run(items: List<Item>, byName: Map<String, Tag>) {
          for (item in items) item.price()
          items.filter { it.name == "" }.map { it.tag() }.first().show()
          items.forEach { it.take("") }
          byName["x"]?.show()
          listOf(Author()).first().fee()
        }
        """,
        {"Item.price", "Item.tag", "Tag.show", "Item.take:8", "Author.fee"},
    ),
    "references to functions, and templates": (
        """
        fun run(item: Item): String {
          val f = ::make
          f()
          val g: () -> Tag = { Tag() }
          g().show()
          return "${item.tag()} $item"
        }
        fun make() = Item("")
        """,
        {"make", "Tag.show", "Item.tag"},
    ),
    "local functions and classes": (
        """
        fun run() { fun twice(n: Int): Tag = Tag()
          twice(2).show()
          class Own {
            fun f() {}
          }
          Own().f()
          val o = object : Item("") {
            fun extra() {}
          }
          o.extra(); o.tag() }
        """,
        {"run.twice", "Tag.show", "run.Own.f", "run.<anonymous>.extra", "Item.tag", "Item.Item"},
    ),
    "a local variable hides no function of its name": (
        """
        fun tag(item: Item): Tag = item.tag()
        fun run(item: Item) { val tag = tag(item); tag.show() }
        """,
        {"tag", "Tag.show"},
    ),
    "parameters of the constructor where an object is made": (
        """
        class Till(item: Item) {
          private val tag = item.tag()
          init { item.price() }
          fun run() { tag.show() }
        }
        """,
        {"Tag.show"},
        "Till.run",
    ),
    "what an object shows is its base": (
        """
        interface Source {
          fun read()
        }
        val source = object : Source {
          override fun read() {}
        }
        fun run() { source.read() }
        """,
        {"Source.read"},
    ),
    "other names for types": (
        """
        typealias Thing = Item
        typealias Action = (Item) -> Tag
        fun run(thing: Thing, action: Action) {
          thing.price()
          Thing("").tag()
          action(thing).show()
        }
        """,
        {"Item.price", "Item.tag", "Item.Item", "Tag.show"},
    ),
    "returns from functions in place": (
        """
        fun find(items: List<Item>): Any? { items.forEach { if (it.name == "") return it.tag() }
          return null }
        fun first(items: List<Item>) = items.map { x -> return@map x.tag() }.first()
        fun run(items: List<Item>) { first(items).show() }
        """,
        {"first", "Tag.show"},
    ),
    "generic classes": (
        """
        class Box<T>(private val value: T) {
          fun get(): T = value
        }
        fun run(box: Box<Item>) { box.get().price(); Box(Tag()) }
        """,
        {"Box.get", "Item.price", "Box.Box"},
    ),
    "functions of the standard library are not those of others": (
        """
        class Own {
          fun require(n: Long) {}
          fun run(n: Int) { require(n > 1) { "x" } }
        }
        """,
        set(),
        "Own.run",
    ),
    "delegation to another object": (
        """
        interface Store {
          fun save()
          fun load() = 1
        }
        class Cached(inner: Store) : Store by inner {
          override fun load() = 2
        }
        fun run(store: Cached) {
          store.save()
          store.load()
        }
        """,
        {"Store.save", "Cached.load"},
    ),
    "numbers and letters": (
        """
        infix fun Byte.and(other: Int): Int = 1
        fun Int.twice(): Long = 2L
        fun Long.show() {}
        fun pick(n: Int) {}
        fun pick(n: Long) {}
        fun pick(c: Char) {}
        fun run(b: ByteArray, n: Int, m: Long) {
          b[0] and 0xff
          n and 1
          (n + 1).twice().show()
          pick(n - 1)
          pick(n * m)
          pick('a')
          pick(n.toLong())
          val bytes = ByteArray(3)
          bytes[1] and 2
          byteArrayOf(1)[0] and 3
          -n.twice()
          if (n.twice() < m || !(m > 1L)) m.show()
        }
        """,
        {"and", "twice", "show", "pick:6", "pick:5", "pick:7"},
    ),
    "arguments spread, by name and in order": (
        """
        fun all(vararg items: Item) { for (item in items) item.price() }
        fun both(first: Item, second: Tag) {}
        fun run(items: Array<Item>) {
          all(*items)
          both(second = Tag(), first = items[0])
          all()
        }
        """,
        {"all", "both"},
    ),
    "loops, and what is assigned": (
        """
        class Node(var next: Node?, val items: Array<Item>) {
          fun step(): Node? = next
          operator fun set(i: Int, item: Item) {}
        }
        fun run(first: Node, any: Any) {
          var node: Node? = first
          while (node != null) { node = node.step() }
          do { first.step() } while (first.next != null)
          while (any is Item) { any.price() }
          first.next = Node(null, arrayOf())
          first.items[0].tag()
          first[1] = Item("")
          first.next!!.items[0] = first.items[1].take(1)
          for (item: Item in first.items) { item.take("") }
          for (i in 0 until 3) { first.items[i].take(first.items[i]) }
        }
        """,
        {
            "Node.step",
            "Item.price",
            "Node.Node",
            "Item.tag",
            "Node.set",
            "Item.Item",
            "Item.take:6",
            "Item.take:7",
            "Item.take:8",
        },
    ),
    "branches with a subject of their own": (
        """
        fun next(): Any = Tag()
        fun run(n: Int): Tag {
          when (val x = next()) {
            is Tag -> x.show()
            is Item -> { x.price() }
            else -> throw IllegalStateException(Item("").name)
          }
          when (n) {
            in 1..Item("").take(1).price() -> return Item("").tag()
            else -> {}
          }
          try { next() } finally { Author().fee() }
          return if (n > 1) { Item("") } else { null }?.tag() ?: Tag()
        }
        """,
        {
            "next",
            "Tag.show",
            "Item.price",
            "Item.Item",
            "Item.take:6",
            "Item.tag",
            "Author.fee",
        },
    ),
    "functions without a name, and what is called of values": (
        """
        fun run(f: (Item) -> Tag, item: Item) {
          val g = fun(x: Item): Tag { return x.tag() }
          g(item).show()
          f.invoke(item)
          (f)(item)
          val h = Item::tag
          val k = item::price
          Item::class.java
        }
        """,
        {"Item.tag", "Tag.show"},
    ),
    "annotations, and functions that are no longer to be called": (
        """
        annotation class Named(val name: String)
        @Deprecated("", level = DeprecationLevel.HIDDEN)
        fun old(item: Item) {}
        fun old(item: Item, n: Int = 1) {}
        @Named("x")
        fun run(item: Item) { old(item) }
        """,
        {"old:5"},
    ),
    "what an extension is for is chosen by the nearest class": (
        """
        fun Any.mark() {}
        fun <T> T.any(): T = this
        fun List<Item>.mark() {}
        fun (() -> Tag).mark() {}
        fun run(book: Book, items: List<Item>, f: () -> Tag) {
          book.any().author.fee()
          items.mark()
          f.mark()
          book.mark()
        }
        """,
        {"any", "Author.fee", "mark:4", "mark:5", "mark:2"},
    ),
    "an extension of what this is, by its plain name": (
        """
        fun Item.sell() {}
        fun Tag.sell() {}
        fun sell(item: Item) {}
        fun lone(block: Tag.() -> Unit) {}
        class Shelf : Item("") {
          fun run() {
            sell()
            sell(this)
            lone { sell() }
          }
        }
        """,
        {"sell:2", "sell:3", "sell:4", "lone"},
        "Shelf.run",
    ),
    "constructors of bases, properties taken apart, named companions": (
        """
        open class Base {
          constructor(item: Item)
          constructor(tag: Tag)
        }
        class Own : Base {
          constructor(item: Item) : super(item)
          val pair = Tag() to Item("")
          companion object Keys {
            val key = Item("")
            val shown get() = key.tag()
          }
        }
        val (left, right) = Tag() to Item("")
        var text: String = ""
          get() = field
          set(value) { field = value }
        fun run(item: Item) {
          Own(item).pair
          Own.Keys.key.price()
          Own.shown.show()
          left.show()
          right.tag()
          com.other.Thing().go()
        }
        """,
        {"Own.Own", "Item.price", "Tag.show", "Item.tag", "Own.shown"},
    ),
    "names in back-ticks": (
        "class `My Class` { fun `do it`() {} }\nfun run() { `My Class`().`do it`() }",
        {"My Class.do it"},
    ),
}


def targets(sources: Sources, path: str, source: str) -> set[str]:
    """Return what a function and those inside of it call, but for functions in place."""
    result = set()
    for edge in sources.resolved(path).edges:
        definitions = sources.facts[edge.path].definitions
        own = sources.facts[path].definitions[edge.source].qualname if edge.source >= 0 else ""
        is_own = own == source or own.startswith(f"{source}.<lambda>")
        target = definitions[edge.target]
        if edge.kind != "calls" or edge.state != "resolved" or not is_own:
            continue
        if target.name == "<lambda>":
            continue
        several = [one for one in definitions if one.qualname == target.qualname]
        result.add(f"{target.qualname}:{target.line}" if len(several) > 1 else target.qualname)
    return result


class TestCalls:
    """What calls mean inside of a package."""

    @each_row("name, row", CALLS.items())
    def test_construct(self, name: str, row: tuple[object, ...]) -> None:
        """Each construct leads to the definitions that are meant, and to no others."""
        text, expected, source = (*row, "run")[:3]
        assert isinstance(text, str)
        assert isinstance(source, str)
        text = f"package shop\n{text.lstrip(chr(10))}"
        sources = Sources({"src/shop/shop.kt": SHOP.lstrip(), "other/run.kt": text})
        assert targets(sources, "other/run.kt", source) == expected


class TestImports:
    """What names mean across packages."""

    def test_imports_of_every_sort(self) -> None:
        """By name, under another name, everything, members of companions, without an import."""
        sources = Sources({
            "a/Tools.kt": "package a\nfun plain() {}\nfun String.ext() {}\nclass C {\n"
            "  companion object { fun make() = C()\n  fun Int.twice() = 2 }\n  fun go() {}\n}\n",
            "a/sub/More.kt": "package a.sub\nobject O { fun o() {} }\nfun far() {}\n",
            "b/Use.kt": "package b\nimport a.plain\nimport a.C as D\nimport a.ext\n"
            "import a.C.Companion.twice\nimport a.sub.*\n"
            "fun run() { plain(); D.make().go(); \"x\".ext(); 1.twice(); far(); O.o(); other()\n"
            "  a.sub.O.o() }\n",
            "c/Same.kt": "package b\nfun other() {}\nprivate fun plain() {}\n",
        })  # fmt: skip
        assert targets(sources, "b/Use.kt", "run") == {
            "plain", "C.make", "C.go", "ext", "C.twice", "far", "O.o", "other",
        }  # fmt: skip

    def test_wildcard_import_comes_after_own_package(self) -> None:
        """A private function of another file is not seen either."""
        sources = Sources(
            {
                "a/A.kt": "package a\nfun f() {}\nfun g() {}\n",
                "b/B.kt": "package b\nfun f() {}\nprivate fun g() {}\n",
                "b/Use.kt": "package b\nimport a.*\nfun run() { f(); g() }\n",
            }
        )
        calls = {
            (edge.path, sources.facts[edge.path].definitions[edge.target].name)
            for edge in sources.resolved("b/Use.kt").edges
            if edge.kind == "calls"
        }
        assert calls == {("b/B.kt", "f"), ("a/A.kt", "g")}

    def test_java_and_kotlin_call_each_other(self) -> None:
        """They share their packages."""
        sources = Sources(
            {
                "j/Old.java": "package p;\npublic class Old {\n  public Old(int n) {}\n"
                "  public static Old of() { return new Old(1); }\n  public void go() {}\n"
                "  void back(Fresh fresh) { fresh.run(); }\n}\n",
                "k/Fresh.kt": "package p\nclass Fresh { fun run() { Old.of().go(); Old(1) } }\n",
            }
        )
        assert targets(sources, "k/Fresh.kt", "Fresh.run") == {"Old.of", "Old.go", "Old.Old"}
        assert targets(sources, "j/Old.java", "Old.back") == {"Fresh.run"}

    def test_nearest_platform_is_meant(self) -> None:
        """Of `expect` and `actual` the one beside the caller, else what is expected."""
        sources = Sources(
            {
                "x/src/commonMain/kotlin/Time.kt": "package p\nexpect fun now(n: Int = 0): Long\n"
                "expect class Clock() { fun tick() }\nfun common() { now(); Clock().tick() }\n",
                "x/src/jvmMain/kotlin/Time.kt": "package p\nactual fun now(n: Int): Long = 1\n"
                "actual class Clock { actual fun tick() {} }\n"
                "fun jvm() { now(); Clock().tick() }\n",
                "x/src/jsMain/kotlin/Time.kt": "package p\nactual fun now(n: Int): Long = 2\n"
                "actual class Clock { actual fun tick() {} }\n",
                "x/src/jvmTest/kotlin/Test.kt": "package p\nfun test() { now() }\n",
            }
        )

        def paths(path: str) -> set[str]:
            edges = sources.resolved(path).edges
            return {edge.path.split("/")[2] for edge in edges if edge.kind == "calls"}

        assert paths("x/src/commonMain/kotlin/Time.kt") == {"commonMain"}
        assert paths("x/src/jvmMain/kotlin/Time.kt") == {"jvmMain"}
        assert paths("x/src/jvmTest/kotlin/Test.kt") == {"jvmMain"}


class TestSymbols:
    """What a file has."""

    def test_definitions_of_every_sort(self) -> None:
        """With their flags, types and comments."""
        facts = facts_of(
            """
            package p.q
            /** A line. */
            data class Line<T>(private val item: T, count: Int) : Base<T>(count), Seen {
              constructor() : this(null, 1)
              var size: Int = 1
                private set
              val next: Int get() = size
              abstract fun draw(vararg names: String, last: Boolean = true): List<T>
              companion object { const val MAX = 3; fun make() = Line() }
              inner class Part
            }
            sealed interface Seen
            object Log
            enum class Size { SMALL, BIG }
            typealias Action = (Int) -> Unit
            suspend fun String.load() {}
            @Test fun `it works`() {}
            expect fun now(): Long
            """,
            "Line.kt",
        )
        assert facts.namespace == "p.q"
        assert facts.errors == 0
        assert kinds(facts) == {
            "Line": "class", "Line.Line": "method", "Line.item": "variable",
            "Line.size": "variable", "Line.next": "method", "Line.draw": "method",
            "Line.MAX": "variable", "Line.make": "method", "Line.Part": "class", "Seen": "class",
            "Log": "class", "Size": "class", "Size.SMALL": "variable", "Size.BIG": "variable",
            "Action": "class", "load": "function", "it works": "function", "now": "function",
        }  # fmt: skip
        symbol = symbols(facts)
        assert symbol["Line"].doc == "A line."
        assert symbol["Line"].signature == "Line<T>(private val item: T, count: Int)"
        assert symbol["Line"].bases == (("item", ("name", "Base"), None), ("name", "Seen"))
        assert [param.sort for param in symbol["Line.draw"].params] == ["*", ""]
        assert symbol["load"].owner == ("name", "String")
        flags = {name: set(definition.flags) for name, definition in symbol.items()}
        assert {"property"} <= flags["Line.next"]
        assert {"static"} <= flags["Line.make"]
        assert flags["Log"] == {"object"}
        assert "interface" in flags["Seen"]
        assert "enum" in flags["Size"]
        assert flags["it works"] == {"test"}
        assert flags["now"] == {"expect"}

    def test_what_the_grammar_misreads(self) -> None:
        """A constructor on another line, a delegate before a body, modifiers of parameters."""
        facts = facts_of(
            """
            class A
            @Inject
            // for tests
            internal constructor(
              internal actual val n: Int,
            ) : B {
              fun f() {
                val final = 1
                final.go()
              }
            }
            val o = object : Source by Buffer() {
              override fun read() {}
            }
            class C : Source by Buffer() {
              fun own() {}
            }
            """,
            "A.kt",
        )
        assert facts.errors == 0
        assert set(kinds(facts)) >= {"A.A", "A.n", "A.f", "<anonymous>.read", "C.own"}
