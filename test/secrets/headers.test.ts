/** Credentials in headers of HTTP, in the commands that send them, and in members of JSON. */
import { describe, expect, test } from "bun:test";
import { walk } from "./made.ts";
import { scrub, scrubValue } from "./scrubbed.ts";

const opaque = walk("abcdefghijkLMNOPQ0123456789", 40);
const basic = Buffer.from("user:correct horse").toString("base64");

describe("authorization", () => {
  for (const name of ["Authorization", "authorization", "Proxy-Authorization", "X-Forwarded-Authorization"]) {
    test(name, () => {
      expect(scrub(`${name}: Bearer ${opaque}`)).toBe(`${name}: Bearer <authorization>`);
      expect(scrub(`${name}: Basic ${basic}\r\nHost: example.org`)).toBe(`${name}: Basic <authorization>\r\nHost: example.org`);
      expect(scrub(`${name}: token abc12345`)).toBe(`${name}: token <authorization>`);
      expect(scrub(`{"${name}":"Bearer ${opaque}","n":1}`)).toBe(`{"${name}":"Bearer <authorization>","n":1}`);
      expect(scrub(`headers={"${name}": "ApiKey ${opaque}"}`)).toBe(`headers={"${name}": "ApiKey <authorization>"}`);
      expect(scrub(`curl -H '${name}: Bearer ${opaque}' https://example.org`)).toBe(
        `curl -H '${name}: Bearer <authorization>' https://example.org`,
      );
      expect(scrub(`${name}: ${opaque}`)).toBe(`${name}: <credential>`);
      expect(scrubValue({ [name]: `Bearer ${opaque}` })).toEqual({ [name]: "Bearer <authorization>" });
    });
  }

  test("a scheme without the name of a header", () => {
    expect(scrub(`it said: Bearer ${opaque} was refused`)).toBe("it said: Bearer <authorization> was refused");
    expect(scrub(`sent basic ${basic}`)).toBe("sent basic <authorization>");
    expect(scrub(`sent token ${opaque}`)).toBe("sent token <authorization>");
  });

  test("words, placeholders and challenges stay", () => {
    for (const text of [
      "Authorization: Bearer <token>",
      "Authorization: Bearer YOUR_TOKEN_HERE",
      "Authorization: Bearer $TOKEN",
      `Authorization: Bearer \${token}`,
      "Authorization: Bearer {{ token }}",
      "Authorization: required for every call",
      'WWW-Authenticate: Bearer realm="example", error="invalid_token"',
      "const h = { authorization: req.headers.authorization }",
      "bearer tokens are checked, basic authentication is not",
      "the token bucketrefillseverysecond",
      "token 4b825dc642cb6eb9a060e54bf8d69288fbee4904",
      "Basic information about it",
    ])
      expect(scrub(text)).toBe(text);
  });
});

describe("cookies", () => {
  test("sessions are hidden, settings stay", () => {
    expect(scrub(`Cookie: theme=dark; sid=${opaque}; lang=en`)).toBe("Cookie: theme=dark; sid=<cookie>; lang=en");
    expect(scrub(`Set-Cookie: session=${opaque}; Path=/; HttpOnly`)).toBe("Set-Cookie: session=<cookie>; Path=/; HttpOnly");
    expect(scrub("Set-Cookie: theme=dark; Path=/; SameSite=Lax")).toBe("Set-Cookie: theme=dark; Path=/; SameSite=Lax");
    expect(scrubValue({ headers: { "set-cookie": [`a=b; x=1`, `sid=${opaque}; Secure`] } })).toEqual({
      headers: { "set-cookie": ["a=b; x=1", "sid=<cookie>; Secure"] },
    });
  });
});

describe("curl", () => {
  test("user and password", () => {
    expect(scrub("curl -u admin:s3cr3tpw https://example.org")).toBe("curl -u admin:<password> https://example.org");
    expect(scrub("curl https://example.org \\\n  --user 'admin:s3cr3tpw' -v")).toBe(
      "curl https://example.org \\\n  --user 'admin:<password>' -v",
    );
    expect(scrub('curl -u "s3cr3tk3y:" https://example.org')).toBe('curl -u "<password>:" https://example.org');
  });

  test("other commands, other lines and placeholders stay", () => {
    for (const text of [
      "docker run -u 1000:1000 image",
      "curl https://example.org\nchown -u admin:s3cr3tpw x",
      "curl -u user:$PASSWORD https://example.org",
      "curl -u <user:password> https://example.org",
      'curl --user "a@b.example" --upload-file out.txt',
    ])
      expect(scrub(text)).toBe(text);
  });
});
