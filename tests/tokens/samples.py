"""Texts of about 4 kB of the kinds that agents meet, generated so that nothing is shipped."""

from __future__ import annotations

import argparse
import base64
import email.message
import json
import pydoc_data.topics
import random
import textwrap
from collections.abc import Callable
from pathlib import Path

SIZE = 4_000
CHINESE = (
    "数据库连接池在高负载下会耗尽，因此我们把超时时间改成了三十秒。所有的配置都保存在环境变量里，"
    "不要写进代码。昨天的部署失败是因为证书过期，请在三月之前更换签名证书。测试必须在合并之前全部通过，"
    "否则流水线会停止。缓存的键包含用户编号和版本号，这样更新之后旧的内容不会再出现。"
)
JAPANESE = (
    "データベースの接続プールは負荷が高いと枯渇するので、タイムアウトを三十秒に変更しました。"
    "設定はすべて環境変数に保存し、コードには書かないでください。昨日のデプロイは証明書の期限切れで失敗しました。"
    "マージする前にテストをすべて通す必要があります。キャッシュのキーにはユーザー番号とバージョンが含まれます。"
)
KOREAN = (
    "데이터베이스 연결 풀은 부하가 높을 때 고갈되기 때문에 제한 시간을 삼십 초로 변경했습니다. "
    "모든 설정은 환경 변수에 저장하고 코드에는 쓰지 마십시오. "
    "어제 배포는 인증서가 만료되어 실패했습니다. "
    "병합하기 전에 모든 테스트를 통과해야 합니다. 캐시 키에는 사용자 번호와 버전이 포함됩니다. "
)
ARABIC = (
    "ينفد تجمع اتصالات قاعدة البيانات عند ارتفاع الحمل لذلك غيرنا المهلة إلى ثلاثين ثانية. "
    "احفظ جميع الإعدادات في متغيرات البيئة ولا تكتبها في الشيفرة. "
    "فشل النشر أمس لأن الشهادة منتهية الصلاحية. "
    "يجب أن تنجح جميع الاختبارات قبل الدمج. يتضمن مفتاح التخزين المؤقت رقم المستخدم والإصدار. "
)
WORDS = (
    "users orders api assets static docs search profile settings archive images report export "
    "login billing team project commit branch release index query"
).split()
EMOJI = "😀😂🤣😍🔥👍🎉🚀✅❌💡📝🐛🧪👀🙏🌍🦀🐍☕"


def _fill(text: str) -> str:
    return (text * (SIZE // len(text) + 1))[:SIZE]


def _english(_: random.Random) -> str:
    return "\n".join(pydoc_data.topics.topics.values())[20_000 : 20_000 + SIZE]


def _chat(rng: random.Random) -> str:
    lines = textwrap.dedent(email.message.Message.__doc__ or "").split("\n")
    said = [
        "Hey, I didn't get around to the migration yesterday, but I'll do it tonight.",
        "We've decided to keep the old endpoint until March; it's simpler for everyone.",
        "Could you check why the nightly job fails? It worked fine before we moved it.",
    ]
    return _fill("\n".join(rng.choices(said + lines, k=60)))


def _python(_: random.Random) -> str:
    return Path(argparse.__file__).read_text(encoding="utf-8")[9_000 : 9_000 + SIZE]


def _rows(rng: random.Random) -> list[dict[str, object]]:
    return [
        {
            "id": rng.randrange(10**6),
            "name": " ".join(rng.choices(WORDS, k=2)),
            "active": rng.random() < 0.5,
            "score": rng.random(),
            "tags": rng.choices(WORDS, k=3),
            "createdAt": f"2026-11-{rng.randint(1, 28):02}T10:00:00Z",
            "parent": None,
        }
        for _ in range(40)
    ]


def _json(rng: random.Random) -> str:
    return json.dumps(_rows(rng), separators=(",", ":"))[:SIZE]


def _indented_json(rng: random.Random) -> str:
    return json.dumps(_rows(rng), indent=2)[:SIZE]


def _base64(rng: random.Random) -> str:
    return base64.b64encode(rng.randbytes(3_000)).decode()


def _hex(rng: random.Random) -> str:
    return rng.randbytes(2_000).hex()


def _hex_dump(rng: random.Random) -> str:
    rows = [f"{at:08x}  {rng.randbytes(16).hex(' ')}" for at in range(0, 1_200, 16)]
    return "\n".join(rows)


def _emoji(rng: random.Random) -> str:
    return "".join(rng.choices(EMOJI, k=1_000))


def _urls(rng: random.Random) -> str:
    def url() -> str:
        path = "/".join(rng.choices(WORDS, k=rng.randint(1, 4)))
        query = rng.choice(["", f"?page={rng.randrange(900)}", f"#{rng.choice(WORDS)}"])
        return f"https://{rng.choice(WORDS)}.example.{rng.choice(['com', 'org'])}/{path}{query}"

    return "\n".join(url() for _ in range(90))


def _logs(rng: random.Random) -> str:
    def line() -> str:
        clock = (
            f"2026-11-{rng.randint(1, 28):02}T{rng.randint(0, 23):02}:07:{rng.randint(0, 59):02}"
        )
        level = rng.choice(["INFO", "WARN", "ERROR"])
        said = rng.choice(
            [
                f"GET /v1/{rng.choice(WORDS)}/{rng.randrange(9_999)} 200 {rng.randrange(900)}ms",
                f"connection to 10.0.{rng.randrange(255)}.{rng.randrange(255)}:5432 timed out",
                f'  File "/app/{rng.choice(WORDS)}.py", line {rng.randrange(900)}, in handle',
            ]
        )
        return f"{clock}.{rng.randrange(999):03}Z {level} [worker-{rng.randint(1, 9)}] {said}"

    return "\n".join(line() for _ in range(50))


SAMPLES: dict[str, Callable[[random.Random], str]] = {
    "English": _english,
    "chat": _chat,
    "Python": _python,
    "compact JSON": _json,
    "indented JSON": _indented_json,
    "base64": _base64,
    "hex": _hex,
    "hex dump": _hex_dump,
    "Chinese": lambda _: _fill(CHINESE),
    "Japanese": lambda _: _fill(JAPANESE),
    "Chinese characters and kana": lambda _: _fill("漢字かな"),
    "one character": lambda _: _fill("固"),
    "Korean": lambda _: _fill(KOREAN),
    "Korean word": lambda _: _fill("한국어"),
    "Arabic": lambda _: _fill(ARABIC),
    "emoji": _emoji,
    "one emoji": lambda _: "😀" * 1_000,
    "emoji families": lambda _: "👩‍👩‍👧‍👦" * 300,
    "URLs": _urls,
    "logs": _logs,
}
