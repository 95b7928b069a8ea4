/** Credentials inside of URIs. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { random, walk } from "./made.ts";
import { scrub } from "./scrubbed.ts";

const password = walk("abcdefgh23456789XYZ", 14);

describe("passwords in URIs", () => {
  for (const scheme of [
    "postgres",
    "postgresql",
    "mysql",
    "mongodb+srv",
    "redis",
    "rediss",
    "amqp",
    "https",
    "ftp",
    "smtp",
    "socks5",
    "jdbc:mysql",
    "git+https",
  ]) {
    test(scheme, () => {
      expect(scrub(`${scheme}://user:${password}@db.example.org:5432/app?x=1`)).toBe(`${scheme}://user:<uri>@db.example.org:5432/app?x=1`);
      expect(scrub(`${scheme}://:${password}@[2001:db8::5]/0`)).toBe(`${scheme}://:<uri>@[2001:db8::5]/0`);
    });
  }

  test("with signs in it, percent-encoded, short, or simple", () => {
    for (const each of ["p@ss#w?rd", "a%40b%2Fc", "guest", "pass", "secret123", "R!x*y$z&w"]) {
      expect(scrub(`url "https://u:${each}@example.org/" end`)).toBe('url "https://u:<uri>@example.org/" end');
    }
  });

  test("a token in place of the user, also with a password that is none", () => {
    const token = walk("abcdef0123456789", 40);
    expect(scrub(`git clone https://${token}@git.example.org/a/b.git`)).toBe("git clone https://<uri>@git.example.org/a/b.git");
    expect(scrub(`git+https://${token}:x-oauth-basic@git.example.org/a`)).toBe("git+https://<uri>@git.example.org/a");
  });

  test("secrets in a query, by their names", () => {
    const value = walk("abcdefXYZ0123456789", 30);
    expect(scrub(`GET /v1/items?access_token=${value}&page=2 HTTP/1.1`)).toBe("GET /v1/items?access_token=<credential>&page=2 HTTP/1.1");
    expect(scrub(`https://example.org/?api_key=${value}`)).toBe("https://example.org/?api_key=<credential>");
  });

  test("what holds no secret stays", () => {
    for (const text of [
      "https://example.org:8080/path@2x.png",
      "ssh://git@example.org:2222/a.git",
      "git@example.org:a/b.git",
      "https://unpkg.com/pkg@1.2.3/index.js",
      "https://medium.com/@someone",
      "redis://localhost:6379/0",
      "postgresql:///app?host=/run/postgresql",
      "https://example.org?time=12:30&mail=a@b.example",
      `https://\${user}:\${password}@example.org`,
      "https://{{user}}:{{password}}@example.org",
      "https://user:<password>@example.org",
      "https://user:****@example.org",
      "https://$USER:$PASSWORD@example.org",
      "see http://a.example, or mail b@c.example",
    ])
      expect(scrub(text)).toBe(text);
  });

  test("whatever the password is, nothing of it is left", () => {
    fc.assert(
      fc.property(random, fc.constantFrom("postgres", "https", "x-y+z.1"), (secret, scheme) => {
        expect(scrub(`x ${scheme}://user:${secret}@host/`)).not.toContain(secret.slice(0, 6));
      }),
    );
  });
});
