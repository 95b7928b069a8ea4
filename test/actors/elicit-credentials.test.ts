/** Which words ask for a credential. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { looksCredential } from "../../actors/elicit/credentials.ts";

const PHRASES =
  `api key|private key|ssh key|secret key|client secret|connection string|social security|credit card|card number|security code
account number|routing number|pin code|auth code|authorization code|mfa code|access code|two factor|2 fa|recovery code|seed phrase|backup code
one time code|one time password|pass word|pass phrase|access key|verification code`.split(/[|\n]/);
const WORDS =
  `password passwords passwd passphrase secret secrets token credential credentials apikey privatekey creditcard ssn cvv cvc otp mfa pin
bearer auth pwd passcode iban cvv2 cvc2 jwt totp`.split(/\s+/);
const camel = (phrase: string) => phrase.replace(/ (.)/g, (_, letter: string) => letter.toUpperCase());

describe("a phrase in any spelling:", () => {
  test.each(PHRASES)("%s", (phrase) => {
    const spellings = [
      phrase,
      phrase.toUpperCase(),
      phrase.replaceAll(" ", "_"),
      phrase.replaceAll(" ", "-"),
      phrase.replaceAll(" ", "\n"),
      phrase.replaceAll(" ", ""),
      camel(phrase),
      `Please enter your ${phrase}.`,
      `(${phrase})`,
    ];
    expect(spellings.filter((one) => !looksCredential(one))).toEqual([]);
  });
});

describe("a word that stands alone:", () => {
  test.each(WORDS)("%s", (word) => {
    const spellings = [
      word,
      word.toUpperCase(),
      `user_${word}`,
      `${word}-value`,
      `my ${word}!`,
      `user${word[0]?.toUpperCase()}${word.slice(1)}`,
    ];
    expect(spellings.filter((one) => !looksCredential(one))).toEqual([]);
  });
});

test.each([
  ...[
    "API-Schlüssel",
    "API-Schluessel",
    "apiSchlüssel",
    "Passwort",
    "Paßwort",
    "Passwörter",
    "Kennwort",
    "Zugangsdaten",
    "Kreditkartennummer",
  ],
  ...[
    "mot de passe",
    "Mot_de_passe",
    "motDePasse",
    "clé API",
    "code d’accès",
    "contraseña",
    "CONTRASEN\u0303A",
    "contrasena",
    "clave de acceso",
  ],
  ...["senha", "palavra-passe", "chave de API", "parola d'ordine", "wachtwoord", "hasło", "heslo", "lösenord", "salasana", "şifre"],
  ...["пароль", "Введите ПАРОЛЬ", "密码", "请输入您的密码", "パスワード", "비밀번호를 입력", "كلمة المرور", "पासवर्ड"],
])("in other languages: %s", (text) => expect(looksCredential(text)).toBe(true));

test.each([
  ...[
    "pаsswоrd",
    "раsswоrd",
    "ｐａｓｓｗｏｒｄ",
    "𝗉𝖺𝗌𝗌𝗐𝗈𝗋𝖽",
    "ᴘɪɴ code",
    "pass\u200bword",
    "p\u00adin",
    "to\u2060ken",
    "pa\u0301ssword",
    "PASSWORD\u202e",
  ],
  ...["p a s s w o r d", "p.a.s.s.w.o.r.d", "P.I.N.", "O-T-P", "passw0rd", "p@ssword", "p@$$w0rd", "t0ken", "s3cret"],
  ...["aPIKey", "APIKey", "pAssWord", "OTPCode", "userPINCode", "API\tKEY", "password1", "userpassword", "passwordHash", "myonetimecode"],
  ...["oneTimeCode", "one-time code", "OneTimePassword", "onetime", "2FA", "enable2fa", "pass\u{e0077}word"],
  [..."token"].map((char) => String.fromCodePoint(0xe0000 + char.charCodeAt(0))).join(""),
])("disguised or glued: %j", (text) => expect(looksCredential(text)).toBe(true));

test.each([
  ...[
    "maxTokens",
    "max_tokens",
    "slotPosition",
    "phoneTime",
    "phone_time",
    "phone timeout",
    "microphoneTime",
    "zoneTime",
    "oneTimeout",
    "one timer",
  ],
  ...[
    "spinning",
    "spinCode",
    "pinned",
    "opinion",
    "author",
    "authority",
    "secretary",
    "tokenizer",
    "discardNumber",
    "shipping",
    "cvvx",
    "pinterest",
  ],
  ...[
    "email",
    "name",
    "city",
    "Which folder should be deleted?",
    "key",
    "keyboard",
    "primary key",
    "monkey",
    "code",
    "postcode",
    "zip code",
    "country code",
  ],
  ...[
    "How many copies?",
    "compass",
    "bypass words",
    "passage",
    "pass",
    "passport",
    "word",
    "color",
    "first line of poem",
    "2 fathers",
    "12fab9",
    "e.g. a b c",
  ],
  ...["größe", "имя", "名前", "nombre", "prénom", "Schlüsselwort", "palabra", "", " ", "😀", "\u202e"],
])("harmless: %j", (text) => expect(looksCredential(text)).toBe(false));

test("whatever stands around it, a credential is one", () => {
  const around = fc.string({ unit: "grapheme" });
  fc.assert(fc.property(around, around, (before, after) => expect(looksCredential(`${before} password ${after}`)).toBe(true)));
});

test("a long text of one kind takes no longer than others", () => {
  for (const piece of ["a ", "A", "aA", "one ", "0a", "\u200b", "é", "ﷺ", "@$", "\u{e0061}"])
    looksCredential(piece.repeat(8000 / piece.length));
});
