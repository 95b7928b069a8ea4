/** Whether a text asks for something secret, in several languages, also where its words are disguised. When in doubt it does. */
import { fold } from "../scan/fold.ts";
import { replaceHidden } from "../visible-text.ts";

const list = (text: string): readonly string[] =>
  text
    .split(/[|\n]/)
    .map((one) => one.trim())
    .filter((one) => one !== "");

/** Count wherever they stand, with anything or nothing between their words. */
const PHRASES = list(`
  api key|private key|ssh key|secret key|client secret|connection string|social security|credit card|security code|account number
  routing number|auth code|authorization code|mfa code|access code|two factor|access key|signing key|encryption key|recovery code
  recovery phrase|recovery key|backup code|verification code|seed phrase|mnemonic phrase|security answer|security question
  api schlüssel|api schluessel|privater schlüssel|privater schluessel|geheimer schlüssel|zugangsschlüssel|zugangsschluessel|zugangsdaten
  anmeldedaten|zugangscode|sicherheitscode|bestätigungscode|wiederherstellungscode|einmalcode|geheimzahl|kreditkarte|kartennummer|kontonummer
  sozialversicherungsnummer|passwort|paßwort|passwörter|passwoerter|kennwort|kennwörter|kennwoerter
  mot de passe|mots de passe|clé api|clé d'api|clé privée|clé secrète|clé d'accès|code secret|code d'accès|code de sécurité|code à usage unique
  phrase secrète|carte bancaire|carte de crédit|numéro de carte|numéro de compte|sécurité sociale|identifiants de connexion
  contraseña|clave api|clave de api|clave privada|clave secreta|clave de acceso|código de seguridad|código de acceso|tarjeta de crédito
  número de tarjeta|número de cuenta|seguridad social|credenciales|frase semilla|frase de recuperación
  palavra passe|chave api|chave de api|chave privada|chave secreta|código de segurança|cartão de crédito|número do cartão|credenciais
  parola d'ordine|chiave api|chiave privata|chiave segreta|carta di credito|codice di sicurezza|credenziali
  wachtwoord|api sleutel|geheime sleutel|klucz api|klucz prywatny|lösenord|adgangskode|salasana
  пароль|пароля|секретный ключ|закрытый ключ|ключ api|пин код|密码|密碼|口令|验证码|驗證碼|密钥|金鑰|パスワード|暗証番号|認証コード|비밀번호|인증번호
  كلمة المرور|كلمة السر|रहस्य कुंजी|पासवर्ड
`);
/** Count as words of their own only: inside of others they mean nothing. */
const WORDS = list(`
  secret|secrets|token|privatekey|ssn|cvv|cvc|otp|totp|mfa|pin|puk|bearer|auth|pwd|iban|jwt|tan nummer|one time|pin code|pin codes
  card number|card numbers|2 fa|pass word|pass words|pass phrase|pass code|pass codes|maiden name
  mdp|jeton|senha|hasło|heslo|passord|kodeord|şifre|parola
`);
/** Distinctive also inside of a word that is written without borders. */
const INSIDE = list("password|passwd|passphrase|passcode|credential|einmalpasswort");
/** What `pin code` and the like become without borders; "phone time", "spin code" and "discard number" are none. */
const GLUED =
  /(?<!\p{L})onetime(?!out|stamp|zone|[rs](?!\p{L}))|onetime(?=code|pass|pin|token|secret|key)|(?<!s)pincode|(?<!dis)cardnumber|(?<!\d)2fa(?![\p{L}\p{N}])/u;

const HUMP = /([\p{Ll}\p{N}])(\p{Lu})/gu;
const ACRONYM = /(\p{Lu})(\p{Lu}\p{Ll})/gu;
const NO_LETTER = /[^\p{L}\p{N}]+/gu;
const LEET: Readonly<Record<string, string>> = { "0": "o", "1": "i", "3": "e", "4": "a", "5": "s", "7": "t", "@": "a", $: "s" };

/** Without accents, capitals and disguises. */
const plain = (text: string): string => fold(text.normalize("NFD").replace(/\p{M}+/gu, "")).text;
/** Letters and digits, one space between words. */
const spaced = (text: string): string => text.replace(NO_LETTER, " ").trim();
const normal = (text: string): string => spaced(plain(text));
const glued = (text: string): string => text.replaceAll(" ", "");

const anywhere = (texts: readonly string[]): RegExp => new RegExp([...new Set(texts)].join("|"), "u");
const COLLAPSED = anywhere(PHRASES.map((one) => glued(normal(one))));
const IN_A_WORD = anywhere(INSIDE.map(normal));
const AS_WORDS = new RegExp(`(?<![\\p{L}\\p{N}])(?:${WORDS.map(normal).join("|")})\\d*(?![\\p{L}\\p{N}])`, "u");
/** "p a s s w o r d" and "P.I.N.": three letters or more that each stand alone are a word. */
const SINGLE = /(?<![\p{L}\p{N}])[\p{L}\p{N}](?: [\p{L}\p{N}](?![\p{L}\p{N}])){2,}/gu;

/** Whether it names something that no server is told in answer to a question: a password, a key, a code, a number of a card. Linear. */
export function looksCredential(text: string): boolean {
  return viewsOf(text).some((view) => AS_WORDS.test(view) || IN_A_WORD.test(view) || GLUED.test(view) || COLLAPSED.test(glued(view)));
}

/** The text as it may be read: by its humps and without them, with hidden letters and without, with figures that stand for letters. */
function viewsOf(text: string): readonly string[] {
  const views = new Set<string>();
  for (const one of new Set([text, replaceHidden(text, () => "")])) {
    const split = one.replace(HUMP, "$1 $2");
    for (const shape of [one, split, split.replace(ACRONYM, "$1 $2")]) {
      const view = normal(shape);
      views.add(view).add(view.replace(SINGLE, glued));
    }
    const letters = plain(one).replace(/[013457@$]/g, (sign) => LEET[sign] ?? sign);
    if (/\p{L}[013457@$]/u.test(one)) views.add(spaced(letters));
  }
  return [...views];
}
