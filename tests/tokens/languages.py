"""A few sentences in each of many languages and scripts, and texts of many other shapes."""

from __future__ import annotations

import base64
import json
import random
import string
import unicodedata
import uuid
from collections.abc import Callable

SIZE = 1_000

PROSE = {
    "Polish": "Wczoraj wieczorem przenieśliśmy bazę danych na nowy serwer i wszystko działało "
    "dobrze. Proszę nie zapisywać haseł w kodzie źródłowym, ponieważ każdy może je przeczytać. "
    "Jeśli żaden test się nie powiedzie, zapytaj Grzegorza o szczegóły wdrożenia.",
    "Finnish": "Siirsimme tietokannan eilen uudelle palvelimelle, ja kaikki näytti toimivan hyvin. "
    "Älä koskaan tallenna salasanoja lähdekoodiin, sillä kuka tahansa voi lukea ne sieltä. "
    "Käyttöönotto epäonnistui, koska varmenteen voimassaoloaika oli päättynyt.",
    "Turkish": "Dün akşam veritabanını yeni sunucuya taşıdık ve her şey düzgün çalıştı. "
    "Şifreleri asla kaynak kodun içine yazmayın, çünkü herkes onları okuyabilir. "
    "Güncelleme başarısız olduğu için değişiklikleri geri almamız gerekiyordu.",
    "Hungarian": "Tegnap este áthelyeztük az adatbázist az új kiszolgálóra, és minden jól működött."
    " Soha ne írjátok a jelszavakat a forráskódba, mert bárki elolvashatja őket. "
    "A telepítés meghiúsult, mivel a tanúsítvány érvényessége lejárt.",
    "Czech": "Včera večer jsme přesunuli databázi na nový server a všechno fungovalo správně. "
    "Nikdy neukládejte hesla do zdrojového kódu, protože si je může kdokoli přečíst. "
    "Nasazení se nezdařilo, neboť vypršela platnost bezpečnostního certifikátu.",
    "German": "Gestern Abend haben wir die Datenbank auf den neuen Rechner verschoben. "
    "Schreibt niemals Passwörter in den Quelltext, denn jeder könnte sie dort lesen. "
    "Die Auslieferung schlug fehl, weil das Zertifikat abgelaufen war.",
    "French": "Hier soir, nous avons déplacé la base de données vers le nouveau serveur. "
    "N'écrivez jamais de mots de passe dans le code, car tout le monde peut les lire. "
    "Le déploiement a échoué parce que le certificat était périmé depuis l'été.",
    "Spanish": "Anoche movimos la base de datos al servidor nuevo y todo funcionó bien. "
    "Nunca guardéis contraseñas en el código, porque cualquiera las puede leer. "
    "¿Por qué falló la publicación? El certificado había caducado el año pasado.",
    "Swahili": "Jana usiku tulihamisha hifadhidata kwenye seva mpya na kila kitu kilifanya kazi. "
    "Usiandike kamwe nywila ndani ya msimbo kwa sababu kila mtu anaweza kuzisoma. ",
    "Icelandic": "Í gærkvöldi fluttum við gagnagrunninn yfir á nýja þjóninn og allt gekk vel. "
    "Skrifið aldrei lykilorð í frumkóðann, því að hver sem er gæti lesið þau þar. ",
    "Vietnamese": "Tối qua chúng tôi đã chuyển cơ sở dữ liệu sang máy chủ mới và mọi thứ đều ổn. "
    "Đừng bao giờ ghi mật khẩu vào mã nguồn, vì ai cũng có thể đọc được. "
    "Việc triển khai thất bại bởi vì chứng chỉ đã hết hạn từ tuần trước.",
    "Russian": "Вчера вечером мы перенесли базу данных на новый сервер, и всё работало хорошо. "
    "Никогда не записывайте пароли в исходный код: их сможет прочитать кто угодно. ",
    "Ukrainian": "Учора ввечері ми перенесли базу даних на новий сервер, і все працювало добре. "
    "Ніколи не зберігайте паролі у вихідному коді, адже їх може прочитати будь-хто. ",
    "Greek": "Χθες το βράδυ μεταφέραμε τη βάση δεδομένων στον νέο διακομιστή. "
    "Μη γράφετε ποτέ κωδικούς μέσα στον κώδικα, γιατί μπορεί να τους διαβάσει ο καθένας. ",
    "Hebrew": "אתמול בערב העברנו את מסד הנתונים לשרת החדש והכול עבד היטב. "
    "אל תכתבו סיסמאות בתוך הקוד, כי כל אחד יכול לקרוא אותן. ",
    "Persian": "دیشب پایگاه داده را به کارساز تازه بردیم و همه چیز درست کار کرد. "
    "هرگز گذرواژه‌ها را در کد ننویسید، زیرا هر کسی می‌تواند آن‌ها را بخواند. ",
    "Hindi": "कल शाम हमने डेटाबेस को नए सर्वर पर भेज दिया और सब कुछ ठीक चला। "
    "पासवर्ड कभी भी कोड में मत लिखिए, क्योंकि कोई भी उन्हें पढ़ सकता है। ",
    "Bengali": "গতকাল সন্ধ্যায় আমরা তথ্যভাণ্ডার নতুন সার্ভারে সরিয়েছি এবং সব ঠিকমতো চলেছে। "
    "কোডের মধ্যে কখনও পাসওয়ার্ড লিখবেন না, কারণ যে কেউ তা পড়তে পারে। ",
    "Tamil": "நேற்று மாலை தரவுத்தளத்தை புதிய சேவையகத்திற்கு மாற்றினோம். "
    "கடவுச்சொற்களை நிரலில் ஒருபோதும் எழுதாதீர்கள், யாரும் அவற்றைப் படிக்கலாம். ",
    "Thai": "เมื่อวานตอนเย็นเราย้ายฐานข้อมูลไปยังเซิร์ฟเวอร์ใหม่และทุกอย่างทำงานได้ดี "
    "อย่าเขียนรหัสผ่านไว้ในโค้ดเด็ดขาด เพราะใครก็อ่านได้ ",
    "Khmer": "ម្សិលមិញយើងបានផ្លាស់ទីមូលដ្ឋានទិន្នន័យទៅម៉ាស៊ីនថ្មី។ កុំសរសេរពាក្យសម្ងាត់ក្នុងកូដ។ ",
    "Georgian": "გუშინ საღამოს მონაცემთა ბაზა ახალ სერვერზე გადავიტანეთ და ყველაფერი მუშაობდა. "
    "პაროლები კოდში არასოდეს ჩაწეროთ, რადგან მათი წაკითხვა ყველას შეუძლია. ",
    "Armenian": "Երեկ երեկոյան տվյալների բազան տեղափոխեցինք նոր սերվեր, և ամեն ինչ լավ աշխատեց։ "
    "Երբեք գաղտնաբառեր մի գրեք կոդի մեջ, քանի որ բոլորը կարող են կարդալ դրանք։ ",
    "Amharic": "ትናንት ማታ የመረጃ ቋቱን ወደ አዲሱ አገልጋይ አዛወርነው፤ ሁሉም ነገር በደንብ ሰራ። "
    "የይለፍ ቃልን በኮድ ውስጥ ፈጽሞ አትጻፉ፤ ማንም ሰው ሊያነበው ይችላልና። ",
    "Burmese": "မနေ့ညက ဒေတာဘေ့စ်ကို ဆာဗာအသစ်သို့ ရွှေ့ခဲ့ပြီး အားလုံး ကောင်းစွာ အလုပ်လုပ်သည်။ ",
    "traditional Chinese": "昨天晚上我們把資料庫搬到新的伺服器，一切運作正常。"
    "請勿將密碼寫在程式碼裡，因為任何人都能讀到。部署失敗是憑證過期所致。",
}


def _decomposed(text: str) -> str:
    return unicodedata.normalize("NFD", text)


PROSE["decomposed Vietnamese"] = _decomposed(PROSE["Vietnamese"])
PROSE["decomposed Korean"] = _decomposed("어제 저녁에 데이터베이스를 새 서버로 옮겼습니다. ")

Generator = Callable[[random.Random], str]


def _of(alphabet: str) -> Generator:
    return lambda rng: "".join(rng.choices(alphabet, k=SIZE))


def _between(first: int, last: int) -> Generator:
    return _of("".join(map(chr, range(first, last + 1))))


def _lines(line: Generator) -> Generator:
    return lambda rng: "\n".join(line(rng) for _ in range(20))


def _word(rng: random.Random) -> str:
    return "".join(rng.choice("bcdfglmnprstvz") + rng.choice("aeiou") for _ in range(3))


def _camel(rng: random.Random) -> str:
    return _word(rng) + "".join(_word(rng).title() for _ in range(3))


def _numbers(rng: random.Random) -> str:
    return "\t".join(f"{rng.uniform(-1e4, 1e4):10.3f}" for _ in range(5))


def _trace(rng: random.Random) -> str:
    names = ".".join(_word(rng) for _ in range(3))
    return f"\tat com.{names}.{_camel(rng)}$1({_camel(rng)}.java:{rng.randrange(999)})"


def _latex(rng: random.Random) -> str:
    a, b = rng.choices(string.ascii_letters, k=2)
    return rf"\frac{{\partial {a}_{{{b}}}}}{{\sqrt{{2\pi}}}} &= \sum_{{i=1}}^{{n}} \alpha^{a} \\"


def _javascript(rng: random.Random) -> str:
    a, b, c = rng.choices(string.ascii_letters, k=3)
    return f"!function({a},{b}){{for(var {c}=0;{c}<{a}.{_word(rng)};{c}++){b}[{c}]&&{a}()}}();"


KINDS: dict[str, Generator] = {
    "base32": lambda rng: base64.b32encode(rng.randbytes(600)).decode(),
    "base85": lambda rng: base64.b85encode(rng.randbytes(800)).decode(),
    "lower-case letters": _of(string.ascii_lowercase),
    "letters and spaces": _of(string.ascii_lowercase + "     "),
    "capitals": _of(string.ascii_uppercase + "    "),
    "all ASCII": _of(string.printable),
    "punctuation": _of(string.punctuation),
    "control characters": _between(0, 31),
    "digits": _of(string.digits),
    "white space": _of(" \t\n\r\xa0\u3000"),
    "accented letters": _between(0xC0, 0x24F),
    "mixed Latin": _of(string.ascii_letters + "éèüößñçąęłżśćźńěščřžýáíů  "),
    "Hangul": _between(0xAC00, 0xD7A3),
    "Chinese characters": _between(0x4E00, 0x9FFF),
    "rare Chinese characters": _between(0x20000, 0x2A6DF),
    "kana": _between(0x3041, 0x30FE),
    "Cyrillic letters": _between(0x400, 0x4FF),
    "mathematical letters": _between(0x1D400, 0x1D7FF),
    "mathematical symbols": _between(0x2200, 0x22FF),
    "box drawing": _between(0x2500, 0x257F),
    "pictures": _between(0x1F300, 0x1F6FF),
    "private use": _between(0xE000, 0xE0FF),
    "scripts mixed": _of("aé я 가 漢 か ك ก 😀 e\u0301 1 ² _"),
    "UUIDs": _lines(lambda rng: str(uuid.UUID(int=rng.getrandbits(128)))),
    "camel case": _lines(_camel),
    "snake case": _lines(lambda rng: "_".join(_word(rng) for _ in range(4)).upper()),
    "invented words": lambda rng: " ".join(_word(rng) for _ in range(150)),
    "numbers": _lines(_numbers),
    "stack trace": _lines(_trace),
    "LaTeX": _lines(_latex),
    "compact JavaScript": lambda rng: "".join(_javascript(rng) for _ in range(20)),
    "escaped JSON": lambda rng: json.dumps([*PROSE.values()][rng.randrange(20)]),
    "table": _lines(lambda rng: f"| {_word(rng):<12} | {rng.randrange(9_999):>6} |" + "-" * 30),
}
