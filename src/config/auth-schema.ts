/** `auth`: named profiles by which a server is shown a token, and how a server's entry names one. */
import { z } from "zod";

const Text = z.string().min(1);
/** RFC 6749, 3.3. */
const Scope = z
  .string()
  .regex(/^[!#-[\]-~]+$/, "a scope is printable ASCII without spaces and quotes; write each as an element of its own");

const Written = z.strictObject({
  type: z.enum(["bearer", "client_credentials", "authorization_code"]),
  token: Text.optional().describe("bearer: the token itself, as a reference."),
  issuer: Text.optional().describe("The authorization server; nobody else gets the client's secret."),
  tokenUrl: Text.optional().describe("client_credentials: the token endpoint, instead of an issuer that says where it is."),
  clientId: Text.optional().describe("authorization_code: may be left out where the authorization server registers clients by itself."),
  clientSecret: Text.optional().describe("As a reference."),
  scopes: z.array(Scope).default([]).describe("Empty: what the server asks for."),
  audience: Text.optional().describe("Whom tokens are for, where they name somebody else than the resource."),
  resource: Text.optional().describe(
    "The resource tokens are asked for, instead of the server's own. All servers of the profile share it.",
  ),
  redirectPort: z
    .int()
    .min(1)
    .max(65_535)
    .optional()
    .describe("authorization_code: port of the redirect to 127.0.0.1, instead of any free one."),
});
type Written = z.output<typeof Written>;
type Type = Written["type"];

type OAuth = Pick<Written, "scopes" | "issuer" | "audience" | "resource">;
/** One profile as configured, references still as written. */
export type AuthEntry =
  | { readonly type: "bearer"; readonly token: string }
  | ({ readonly type: "client_credentials"; readonly clientId: string; readonly clientSecret: string } & OAuth & Pick<Written, "tokenUrl">)
  | ({ readonly type: "authorization_code" } & OAuth & Pick<Written, "clientId" | "clientSecret" | "redirectPort">);

const OAUTH = ["issuer", "clientId", "clientSecret", "audience", "resource"] as const;
const KEYS: Readonly<Record<Type, readonly (keyof Written)[]>> = {
  bearer: ["token"],
  client_credentials: [...OAUTH, "tokenUrl"],
  authorization_code: [...OAUTH, "redirectPort"],
};
const NEEDED: Readonly<Record<Type, readonly (keyof Written)[]>> = {
  bearer: ["token"],
  client_credentials: ["clientId", "clientSecret"],
  authorization_code: [],
};

const Profile = Written.superRefine((entry, context) => {
  const { type, scopes, issuer, tokenUrl, clientId, clientSecret } = entry;
  const report = (message: string, ...path: string[]) => context.addIssue({ code: "custom", path, message });
  for (const key of NEEDED[type]) if (entry[key] === undefined) report(`a profile of type ${type} needs \`${key}\``);
  for (const [key, value] of Object.entries(entry))
    if (value !== undefined && key !== "type" && key !== "scopes" && !KEYS[type].some((known) => known === key))
      report(`does not belong to a profile of type ${type}`, key);
  if (type === "bearer" && scopes.length > 0) report("does not belong to a profile of type bearer", "scopes");
  if (type === "client_credentials" && (issuer === undefined) === (tokenUrl === undefined))
    report("a profile of type client_credentials needs either `issuer` or `tokenUrl`: it says who gets the client's secret");
  if (type === "authorization_code" && clientSecret !== undefined && (issuer === undefined || clientId === undefined))
    report("needs `clientId` and `issuer` beside it: they say whose it is, and who gets it", "clientSecret");
}).transform((entry): AuthEntry => {
  const { type, token = "", clientId = "", clientSecret = "" } = entry;
  if (type === "bearer") return { type, token };
  return type === "client_credentials" ? { ...entry, type, clientId, clientSecret } : { ...entry, type };
});

const ProfileName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/, "a name is 1 to 64 of A-Z a-z 0-9 _ . - and starts with a letter or digit");

export const AuthProfiles = z.record(ProfileName, Profile).default({});
/** In a server's entry; comes out as the name. */
export const AuthName = z.union([Text, z.strictObject({ profile: Text }).transform(({ profile }) => profile)]);
