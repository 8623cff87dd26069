"""PHP as facts, and what its calls mean: namespaces, classes, traits, types of all sorts."""

from __future__ import annotations

from tests.tables import each_row

from ..programs import Sources, calls, facts_of, kinds, symbols

# What every row may call, in a namespace of its own.
SHOP = r"""<?php
namespace Shop;

const LIMIT = 3;
function total(Cart $cart): Money { return $cart->sum(); }
function helper() {}
interface Priced { public function price(): Money; }
class Money {
    public function format(): string { return ''; }
    public function plus(Money $other): static { return $this; }
    public static function zero(): self { return new self(); }
}
class Item implements Priced {
    public ?Item $next = null;
    public function __construct(protected readonly Money $money, private ?Item $parent = null) {}
    public function price(): Money { return $this->money; }
    public function parent(): ?Item { return $this->parent; }
}
class Cart {
    /** @var Item[] */
    private array $items = [];
    public function sum(): Money { return Money::zero(); }
    /** @return array<int, Item> */
    public function items(): array { return $this->items; }
    public function first(): Item|null { return $this->items[0] ?? null; }
    public function __invoke(): Money { return $this->sum(); }
    /** @param callable(Item, Money): bool $use */
    public function each(callable $use): static { return $this; }
}
"""

# Body of a function `run(Cart $cart, Item $item, $any)` in another namespace → what it calls.
BODIES = {
    "functions: imported, qualified, of the namespace and of all": (
        r"total($cart); \Shop\helper(); shop\helper(); local(); everywhere(); namespace\local();",
        {"total", "helper", "local", "everywhere"},
    ),
    "constructors, own and inherited, and a class without": (
        "new Item(new Money()); new Sub(new Money()); new Basket; new \\Shop\\Item($any);",
        {"Item.__construct"},
    ),
    "chained calls and properties": (
        "$cart->sum()->format(); $item->next->next->price(); $cart->first()?->parent()?->price();",
        {"Cart.sum", "Money.format", "Item.price", "Cart.first", "Item.parent"},
    ),
    "static methods": ("Money::zero()->plus(Money::zero())->format();", {
        "Money.zero", "Money.plus", "Money.format",
    }),
    "elements of typed arrays": (
        "foreach ($cart->items() as $key => $each) { $each->price(); }\n"
        "foreach ([new Money()] as &$m) { $m->format(); } $cart->items()[3]->parent();",
        {"Cart.items", "Item.price", "Item.parent", "Money.format"},
    ),
    "arrays as they are written": (
        "$a = ['money' => new Money(), 'item' => $item]; $a['money']->format();\n"
        "[$x, $y] = [$item, new Money()]; $x->price(); ['item' => $z] = $a; $z->parent();\n"
        "list(, $w) = [1, $cart]; $w->sum();",
        {"Money.format", "Item.price", "Item.parent", "Cart.sum"},
    ),
    "arrays that grow": (
        "$list = []; $list[] = $item; foreach ($list as $one) { $one->price(); }\n"
        "$map['a']['b'] = new Money(); $map['a']['b']->format();",
        {"Item.price", "Money.format"},
    ),
    "functions over arrays": (
        "array_map(fn ($i) => $i->price(), $cart->items())[0]->format();\n"
        "usort($list, function ($a, $b) { return 0; });\n"
        "foreach (array_filter($cart->items(), function ($i) { return $i->parent(); }) as $j) {\n"
        "    $j->price();\n}\n array_pop(array_values($cart->items()))->price();",
        {"Cart.items", "Item.price", "Money.format", "Item.parent", "run.<lambda>"},
    ),
    "functions that are given to others": (
        "$cart->each(fn ($i) => $i->price())->each(function ($i, $m) { $m->format(); });",
        {"Cart.each", "Item.price", "Money.format"},
    ),
    "closures and what they use": (
        "$f = function (Item $i) use ($cart, &$sum) { $sum = $cart->sum(); return $i->price(); };\n"
        "$f($item)->format(); $sum->plus($sum); $g = static fn (): Cart => $cart; $g()->first();",
        {"Cart.sum", "Item.price", "Money.format", "Money.plus", "Cart.first", "run.<lambda>"},
    ),
    "functions as values": (
        "$f = total(...); $f($cart)->format(); $g = $cart->first(...); $g()->price();\n"
        "$h = Money::zero(...); $h()->plus($any); $cart()->format();\n"
        "call_user_func([$item, 'parent']); call_user_func('Shop\\Money::zero');",
        {"total", "Money.format", "Cart.first", "Item.price", "Money.zero", "Money.plus",
         "Cart.__invoke", "Item.parent"},
    ),
    "one of several values": (
        "$m = $any ? new Money() : null; $m->format(); ($cart->first() ?? $item)->price();\n"
        "$t = match (true) { $any => $item, default => throw new \\Exception('') };\n"
        "$t->parent(); $u ??= $cart; $u->sum(); ($any ?: $cart)->items();",
        {"Money.format", "Cart.first", "Item.price", "Item.parent", "Cart.sum", "Cart.items"},
    ),
    "operators of all sorts in one chain": (
        "$cart->sum() + $item->price() ?? $cart->first() ?? total($cart) . helper();\n"
        "$x = $any ?? $cart->items()[0] ?? $item; $x->parent(); !$any and local() or everywhere();",
        {"Cart.sum", "Item.price", "Cart.first", "total", "Cart.items", "Item.parent", "local",
         "everywhere"},
    ),
    "checked: behind what leaves": (
        "if (!$any instanceof Item) { return; } $any->price();",
        {"Item.price"},
    ),
    "checked: in what it guards, and nowhere else": (
        "if ($any instanceof Item && $any->price()) { $any->parent(); }\n"
        "elseif (!($any instanceof Money)) { $any->format(); } else { $any->format(); }\n"
        "$any->price();",
        {"Item.price", "Item.parent", "Money.format"},
    ),
    "checked: one of two, in values and loops": (
        "if ($any instanceof Item || $any instanceof Sub) { $any->price(); }\n"
        "$any instanceof Cart ? $any->sum() : null; while ($any instanceof Money) $any->format();\n"
        "match (true) { $any instanceof Item => $any->parent(), default => 1 };",
        {"Item.price", "Cart.sum", "Money.format", "Item.parent"},
    ),
    "checked: until it is assigned": (
        "if ($any instanceof Cart) { $any->sum(); $any = $item; $any->price(); }\n"
        "$is = $any instanceof Cart; if ($is) { $any->items(); }",
        {"Cart.sum", "Item.price", "Cart.items"},
    ),
    "checked: a property": (
        "if ($item->next instanceof Sub) { $item->next->tall(); } $item->next->tall();",
        {"Sub.tall"},
    ),
    "assigned where it is used": (
        "if (($p = $item->parent()) !== null) { $p->price(); }\n"
        "while ($n = $cart->first()) $n->next;",
        {"Item.parent", "Item.price", "Cart.first"},
    ),
    "documented variables": (
        "/** @var Cart $any */\n$any->sum();\n/** @var Money */\n$v = unknown(); $v->format();\n"
        "/** @var list<Item>|null $all */\nforeach ($all as $i) { $i->price(); }",
        {"Cart.sum", "Money.format", "Item.price"},
    ),
    "texts with calls in them": (
        "$s = \"a {$item->price()} $any\"; $t = <<<EOT\n  {$cart->sum()->format()}\n  EOT;",
        {"Item.price", "Cart.sum", "Money.format"},
    ),
    "classes by name": (
        "$class = Money::class; $class::zero()->format(); (new $class)->plus($any);\n"
        "$item::class; $cart::limit();",
        {"Money.zero", "Money.format", "Money.plus"},
    ),
    "caught, thrown and copied": (
        "try { $cart->sum(); } catch (Wrong | \\LogicException $e) {\n"
        "$e->why(); $e->getMessage(); } finally { helper(); }\n"
        "$copy = clone $item; $copy->price(); throw Wrong::make();",
        {"Cart.sum", "Wrong.why", "Item.price", "Wrong.make"},
    ),
    "nothing is made up": (
        "$any->get(); $any->sum->get(); $cart->unknown(); $$any->price(); $any->$any();\n"
        "$cart->{$any}(); strlen('sum'); isset($any->a); empty($any); print 1; eval('');"
        " \\total($cart); $missing::price();",
        set(),
    ),
}  # fmt: skip
_RUN = r"""<?php
namespace App\Front;

use Shop\{Cart, Item, Money as Money};
use Shop;
use function Shop\total;

class Sub extends Item { public function tall() {} }
class Basket {}
class Wrong extends \RuntimeException {
    public static function make(): static { return new static(); }
    public function why(): string { return parent::getMessage(); }
}
function local() {}
function run(Cart $cart, Item $item, $any) {
    @
}
"""


def called(sources: Sources, source: str) -> set[str]:
    """Return the dotted names of what one function of `run.php` calls, and its closures."""
    return {
        target.rpartition(":")[2]
        for origin, target in sources.edges()
        if origin == f"run.php:{source}" or origin.startswith(f"run.php:{source}.<")
    }


@each_row("what", BODIES)
def test_calls_of_a_body(what: str) -> None:
    """What is called is known by names, declared types and values."""
    body, expected = BODIES[what]
    body = body.replace("shop\\", "Shop\\")
    sources = Sources({
        "shop.php": SHOP,
        "all.php": "<?php\nfunction everywhere() {}\n",
        "run.php": _RUN.replace("@", body),
    })  # fmt: skip
    assert called(sources, "run") == expected


# Whole files beside SHOP → what `Eye.run` calls.
FILES = {
    "self, static, parent and $this": (
        """
        class Base {
            public function __construct() {}
            public static function make(): static { return new static(); }
            protected function hook() {}
            public function fluent(): static { return $this; }
        }
        class Eye extends Base {
            const K = 1;
            public function __construct() { parent::__construct(); }
            public function hook() {}
            public static function own() {}
            public function run() {
                $this->hook(); parent::hook(); self::own(); static::make(); new self; new parent;
                self::make()->fluent()->hook();
            }
        }
        """,
        {"Eye.hook", "Base.hook", "Eye.own", "Base.make", "Eye.__construct", "Base.__construct",
         "Base.fluent"},
    ),
    "traits, their precedence and aliases": (
        """
        trait One { public function a() {} public function both() {} public function c() {} }
        trait Two {
            public function both() {}
            public function over() {}
            abstract public function needed();
            protected static function st(): \\Shop\\Money {}
        }
        class Base { public function over() {} public function needed() {} public function a() {} }
        class Eye extends Base {
            use One, Two { One::both insteadof Two; Two::both as protected other; c as d; }
            public function run() {
                $this->a(); $this->both(); $this->other(); $this->d(); $this->over();
                $this->needed(); self::st()->format(); parent::over();
            }
        }
        """,
        {"One.a", "One.both", "Two.both", "One.c", "Two.over", "Base.needed", "Two.st",
         "Money.format", "Base.over"},
    ),
    "traits that call the classes that use them": (
        """
        trait Eye {
            abstract public function asked(): \\Shop\\Money;
            public function run() {
                $this->mine()->price(); static::sole(); $this->asked()->format();
            }
        }
        class A { use Eye; public function mine(): \\Shop\\Item {} public function asked() {} }
        abstract class B { use Eye; protected static function sole() {} }
        class C { public function mine() {} }
        """,
        {"A.mine", "Item.price", "B.sole", "Eye.asked", "Money.format"},
    ),
    "interfaces, and classes that are abstract": (
        """
        interface A { public function a(): B; }
        interface B extends A { const K = 1; public function b(); }
        abstract class Part implements B { abstract protected function c(); }
        class Eye extends Part {
            public function a(): B {}
            public function b() {}
            protected function c() {}
            public function run(B $b, Part $p) { $b->a()->b(); $p->c(); $p->b(); $this->c(); }
        }
        """,
        {"A.a", "B.b", "Part.c", "Eye.c"},
    ),
    "enums": (
        """
        enum Size: int implements \\Shop\\Priced {
            case Small = 1;
            case Large = 2;
            const First = self::Small;
            public static function pick(): self { return self::Large; }
            public function price(): \\Shop\\Money {
                return match ($this) { self::Small => \\Shop\\Money::zero() };
            }
            public function label(): string { return $this->name; }
        }
        class Eye {
            public function run() {
                Size::Small->label(); Size::First->price(); Size::from(1)->label();
                foreach (Size::cases() as $size) { $size->price(); } Size::tryFrom(2)?->label();
                Size::pick();
            }
        }
        """,
        {"Size.label", "Size.price", "Size.pick"},
    ),
    "properties, promoted, static and documented": (
        """
        use Shop\\Cart;
        use Shop\\Item;
        use Shop\\Money;
        /**
         * @property-read Cart $magic
         * @method Item pick(int $n)
         * @method static Money made()
         */
        class Eye {
            private static ?Eye $one = null;
            /** @var array<string, list<Item>> */
            private $byName = [];
            /** @var Money|null */
            protected $money;
            private $untyped;
            public function __construct(
                private Cart $cart, ?Item $item = null, protected $loose = null
            ) {
                $this->untyped = $item ?? new Item(new Money());
                $this->loose = new Money();
            }
            public function __call($name, $args) {}
            public function run() {
                $this->cart->sum(); self::$one->run(); static::$one?->run();
                $this->byName['a'][0]->price(); $this->money->format(); $this->untyped->parent();
                $this->loose->plus($this->money); $this->magic->first(); $this->pick(1)->price();
                foreach ($this->byName as $name => $items) { foreach ($items as $i) $i->parent(); }
            }
        }
        """,
        {"Cart.sum", "Eye.run", "Item.price", "Money.format", "Item.parent", "Money.plus",
         "Cart.first"},
    ),
    "documented parameters and results": (
        """
        use Shop;
        use Shop\\Item;
        /** @template T of Shop\\Cart */
        class Box {
            /** @return T */
            public function open() {}
            /** @template C
             * @param class-string<C> $class
             * @return C */
            public function make(string $class) {}
            /** @return $this */
            public function same() { return $this; }
            /** @return array{item: Item, n: int} */
            public function shape() {}
            /** @return \\Generator<int, Item> */
            public function walk() { yield from []; }
            public function steps(): \\Generator { yield new Shop\\Money(); }
        }
        class Eye {
            /**
             * @param Item[]|null $items all of them
             * @param ?Shop\\Cart $cart
             * @param Box<Shop\\Cart> $box
             * @param callable(Item, int): Shop\\Money $call
             */
            public function run($items, $cart, $box, callable $call, Item ...$rest) {
                $items[0]->price(); $cart->sum(); $box->open()->first(); $call($items[0])->format();
                $box->make(Item::class)->parent(); $box->same()->same();
                $box->shape()['item']->price();
                foreach ($rest as $item) { $item->parent(); }
                foreach ($box->walk() as $item) { $item->price(); }
                foreach ($box->steps() as $money) { $money->plus($money); }
            }
        }
        """,
        {"Item.price", "Cart.sum", "Box.open", "Cart.first", "Money.format", "Box.make",
         "Item.parent", "Box.same", "Box.shape", "Box.walk", "Box.steps", "Money.plus"},
    ),
    "code of properties": (
        """
        class Eye {
            public \\Shop\\Cart $cart {
                get => $this->seen();
                set(?\\Shop\\Cart $v) { $v->sum(); $this->noted($v); }
            }
            public function __construct(public \\Shop\\Item $item { set { $value->price(); } }) {}
            public function run() { $this->cart->first(); $this->item->parent(); }
            private function seen() {}
            private function noted() {}
        }
        """,
        {"Cart.first", "Item.parent"},
    ),
    "walking through objects": (
        """
        class Bag implements \\IteratorAggregate, \\ArrayAccess {
            public function getIterator(): \\Traversable { yield new \\Shop\\Item(); }
            public function offsetGet($k): \\Shop\\Money {}
        }
        class Eye {
            public function run(Bag $bag) {
                foreach ($bag as $item) { $item->price(); } $bag['a']->format();
            }
        }
        """,
        {"Bag.getIterator", "Item.price", "Money.format"},
    ),
    "classes in place": (
        """
        class Eye {
            public function run() {
                $o = new class(1) extends \\Shop\\Cart implements \\Countable {
                    public function __construct(private int $n) {}
                    public function count(): int { return self::two() + $this->sum(); }
                    public static function two() {}
                };
                $o->count(); $o->first(); $o::two();
            }
        }
        """,
        {"Eye.run.<anonymous>.__construct", "Eye.run.<anonymous>.count", "Cart.first",
         "Eye.run.<anonymous>.two", "Cart.sum"},
    ),
    "methods that come down": (
        """
        abstract class Builder {
            public static function start(): static { return new static(); }
            /** @return static */
            public function with() { return $this; }
            public function also(): self { return $this; }
            public static function fresh() { if (X) { return new static; } return new static(1); }
            /** @return static<int, self>|null */
            public function many() {}
        }
        class Tall extends Builder { public function finish() {} }
        class Eye {
            public function run() {
                Tall::start()->with()->finish(); (new Tall)->with()->also()->finish();
                Tall::fresh()->finish(); (new Tall)->many()?->finish();
            }
        }
        """,
        {"Builder.start", "Builder.with", "Builder.also", "Builder.fresh", "Builder.many",
         "Tall.finish"},
    ),
}  # fmt: skip


@each_row("what", FILES)
def test_calls_of_a_method(what: str) -> None:
    """Members are those of the class, its traits, its parents and its interfaces, in that order."""
    text, expected = FILES[what]
    sources = Sources({"shop.php": SHOP, "run.php": f"<?php\nnamespace App;\n{text}"})
    targets = called(sources, "Eye.run")
    assert {target for target in targets if "<lambda>" not in target} == expected


def test_definitions_of_a_file() -> None:
    """Functions, classes of all sorts, members, constants; what is private, abstract or static."""
    facts = facts_of(
        r"""<?php
        // All that is sold.

        namespace App\Models;

        const SIZE = 2;
        define('OTHER', 3);
        /** Sells things. */
        #[Attribute]
        final class Cart extends Box implements \Countable
        {
            use Named;
            public const LIMIT = 1, NEXT = 2;
            /** How many. */
            private static int $count = 0;
            protected ?Item $a, $b;
            public function __construct(private readonly Item $item) {}
            /** Adds. */
            public static function make(): static { return new static(); }
            abstract protected function todo(int $n = 1, string ...$rest): void;
        }
        interface Priced { public function price(); }
        trait Named { private function name() { $f = function () {}; } }
        enum Size: string { case Small = 's'; }
        function top(): void {}
        if (true) { function conditional() {} }
        """,
        "cart.php",
    )
    assert facts.namespace == "App.Models"
    assert facts.doc == "All that is sold."
    assert facts.errors == 0
    assert kinds(facts) == {
        "SIZE": "variable", "OTHER": "variable", "Cart": "class", "Cart.LIMIT": "variable",
        "Cart.NEXT": "variable", "Cart.count": "variable", "Cart.a": "variable",
        "Cart.b": "variable", "Cart.item": "variable", "Cart.__construct": "method",
        "Cart.make": "method", "Cart.todo": "method", "Priced": "class", "Priced.price": "method",
        "Named": "class", "Named.name": "method", "Named.name.<lambda>": "function",
        "Size": "class", "Size.Small": "variable", "top": "function", "conditional": "function",
    }  # fmt: skip
    definitions = symbols(facts)
    flags = {name: set(definition.flags) for name, definition in definitions.items()}
    assert flags["Cart.make"] == {"exported", "static"}
    assert flags["Cart.count"] == {"private", "static"}
    assert flags["Cart.item"] == {"private", "constant"}
    assert flags["Cart.__construct"] == {"exported", "constructor"}
    assert flags["Cart.todo"] == {"abstract"}
    assert flags["Priced"] == {"interface"}
    assert flags["Priced.price"] == {"exported", "abstract"}
    assert flags["Named"] == {"trait"}
    assert flags["Size.Small"] == {"constant", "static"}
    assert definitions["Cart"].doc == "Sells things."
    assert definitions["Cart.count"].doc == "How many."
    assert definitions["Cart.make"].doc == "Adds."
    assert definitions["Cart.make"].signature == "make(): static"
    assert [param.name for param in definitions["Cart.todo"].params] == ["$n", "$rest"]
    assert [param.sort for param in definitions["Cart.todo"].params] == ["", "*"]


def test_code_of_properties() -> None:
    """What runs when a property is read or written calls as a method does."""
    text, _ = FILES["code of properties"]
    sources = Sources({"shop.php": SHOP, "run.php": f"<?php\nnamespace App;\n{text}"})
    assert {edge for edge in sources.edges() if ":Eye.run" not in edge[0]} >= {
        ("run.php:Eye.cart.get", "run.php:Eye.seen"),
        ("run.php:Eye.cart.set", "shop.php:Cart.sum"),
        ("run.php:Eye.cart.set", "run.php:Eye.noted"),
        ("run.php:Eye.item.set", "shop.php:Item.price"),
    }


def test_bases_and_overrides() -> None:
    """A class inherits from its parent, interfaces and traits; methods override theirs."""
    sources = Sources({
        "a.php": "<?php\nnamespace A;\ninterface I { function f(); }\nclass P { function g() {} }\n"
        "trait T { function h() {} }\n",
        "b.php": "<?php\nnamespace B;\nuse A\\{I, P as Q};\n"
        "class C extends Q implements I { use \\A\\T; function f() {} function g() {} }\n",
    })  # fmt: skip
    assert sources.edges("inherits") == {
        ("b.php:C", "a.php:I"), ("b.php:C", "a.php:P"), ("b.php:C", "a.php:T"),
    }  # fmt: skip
    assert sources.edges("overrides") == {("b.php:C.f", "a.php:I.f"), ("b.php:C.g", "a.php:P.g")}


def test_files_that_are_included() -> None:
    """A path that is written relative to the file, or to its folder, is an import of that file."""
    sources = Sources({
        "lib/f.php": "<?php\nfunction f() {}\n",
        "lib/g.php": "<?php\nnamespace G;\nfunction g() {}\n",
        "web/index.php": "<?php\nrequire __DIR__ . '/../lib/f.php';\n"
        "include_once('../lib/g.php');\n"
        "require $x; f(); \\G\\g();\n",
    })  # fmt: skip
    assert sources.edges("imports") >= {
        ("web/index.php:", "lib/f.php:"), ("web/index.php:", "lib/g.php:"),
    }  # fmt: skip
    assert sources.edges() == {("web/index.php:", "lib/f.php:f"), ("web/index.php:", "lib/g.php:g")}


def test_names_of_the_language_are_outside() -> None:
    """A function or class of the language is none of the namespace's of the same name."""
    edges = calls({
        "a.php": r"""<?php
        namespace App;
        use Exception;
        class LogicException { public function getMessage() {} }
        function json_encode($x) {}
        function run(\LogicException $e, Exception $f, LogicException $g) {
            \json_encode($e); $e->getMessage(); $f->getMessage();
        }
        function own(LogicException $g) { json_encode($g); $g->getMessage(); }
        """,
        "b.php": "<?php\nclass Exception { public function getMessage() {} }\n",
    })  # fmt: skip
    assert edges == {
        ("a.php:own", "a.php:json_encode"), ("a.php:own", "a.php:LogicException.getMessage"),
    }  # fmt: skip


def test_tests_are_known() -> None:
    """Methods of a test class that are named as tests, or said to be."""
    facts = facts_of(
        "<?php\nuse PHPUnit\\Framework\\TestCase;\nclass CartTest extends TestCase {\n"
        "function testSum() {}\n#[Test]\nfunction adds() {}\nfunction helper() {}\n}\n",
        "tests/CartTest.php",
    )
    tests = {name for name, definition in symbols(facts).items() if "test" in definition.flags}
    assert tests == {"CartTest.testSum", "CartTest.adds"}


def test_pages_with_code_in_them() -> None:
    """Code between markup, and alternative spellings of statements."""
    edges = calls({
        "page.php": "<html><?php function f($x) { return $x; }\nclass V { function h() {} }\n"
        "if ($a): f($a); elseif ($b): f(1); else: f(2); endif;\n"
        "foreach ([new V] as $v): ?><p><?= $v->h() ?></p><?php endforeach; ?></html>",
    })  # fmt: skip
    assert edges == {("page.php:", "page.php:f"), ("page.php:", "page.php:V.h")}


@each_row(
    "kind",
    [
        "?" * 1_500 + "Cart",
        "array<(" * 1_500 + "Cart",
        "Cart" + "[]" * 1_500,
        "array{a: " * 1_500,
        "callable(" * 1_500,
        "<",
        "|",
        "?",
        "Cart<",
        "::",
        "$this|",
    ],
)
def test_documented_types_of_any_form(kind: str) -> None:
    """Whatever stands where a type is documented, the file is read."""
    facts = facts_of(f"<?php\n/** @var {kind} $x */\n$x = f();\nfunction f() {{}}\n", "a.php")
    assert set(kinds(facts)) == {"f"}
