/** Rules over the network: what goes out, what comes in to be run, and doors that are opened. */
import { anyArg, fedBy, flag, inlineCode, isInterpreter, isShell, operands, programFile, runsItsInput, texts, values } from "./asking.ts";
import { isOwnHost } from "./hosts.ts";
import type { Invocation } from "./invocation.ts";
import { DOWNLOADERS } from "./programs.ts";
import { type Line, names, type Rule } from "./rule.ts";

const CURL = ["curl"];
const WGET = ["wget", "wget2"];
const LOADERS = [...CURL, ...WGET];
const SENDING = /^(POST|PUT|PATCH|DELETE)$/i;
const SOCKETS =
  /\bsocket\b|\bIO::Socket|\bTCPSocket\b|\bTCPServer\b|\bfsockopen\b|\bpfsockopen\b|\bstream_socket_client\b|["']net["']|["']node:net["']|\bnet\.(connect|createConnection|createServer|Socket)\b|\/inet6?\/(tcp|udp)\/|\bDeno\.(connect|listen)\b|\bBun\.(connect|listen)\b|\bpty\.spawn\b|["'](luasocket|socket)\b/;
const STARTING_BY_NODE = /\bchild_process\b/;

/** Runs what a program on the network sent: through a pipe, in a substitution, or as a file that was loaded before. */
function runsDownload(of: Invocation, line: Line): boolean {
  const isCode = isShell(of) || isInterpreter(of) || /^(eval|source|\.)$/.test(of.program);
  const isLoaded = (file: string | undefined) => file !== undefined && line.madeBy(file) === "download";
  if (isLoaded(of.name?.text) || (/^(source|\.)$/.test(of.program) && isLoaded(operands(of)[0]))) return true;
  if (!isCode) return false;
  const reads = of.redirects.some(({ operator, target }) => operator === "<" && isLoaded(target.text));
  return reads || isLoaded(programFile(of)) || (fedBy(of, DOWNLOADERS) && (runsItsInput(of) || of.inputs.length > 0));
}

const exfiltration = (rule: Omit<Rule, "group">): Rule => ({ group: "data_exfiltration", ...rule });
const shell = (rule: Omit<Rule, "group">): Rule => ({ group: "reverse_shell", ...rule });
const recon = (rule: Omit<Rule, "group">): Rule => ({ group: "network_recon", ...rule });

const socketPath = (of: Invocation): boolean => of.redirects.some(({ target }) => /^\/dev\/(tcp|udp)\//.test(target.text));
const atUser = (of: Invocation): boolean => operands(of).some((text) => /^[^/]*[^/@]@[^/]/.test(text));

export const NETWORK: readonly Rule[] = [
  exfiltration({ when: runsDownload, seen: "running what the network sends" }),
  exfiltration({
    programs: CURL,
    when: (of) =>
      flag(of, "dFT", ["data", "data-binary", "data-raw", "data-ascii", "data-urlencode", "form", "form-string", "json", "upload-file"]),
    seen: "sending data with `curl`",
  }),
  exfiltration({
    programs: CURL,
    when: (of) => values(of, "X", ["request"]).some((text) => !/^(GET|HEAD|OPTIONS)$/i.test(text)),
    seen: "a request that changes something",
  }),
  exfiltration({
    programs: WGET,
    when: (of) =>
      flag(of, "", ["post-data", "post-file", "body-data", "body-file"]) || values(of, "", ["method"]).some((text) => SENDING.test(text)),
    seen: "sending data with `wget`",
  }),
  exfiltration({
    programs: names("http https httpie xh"),
    when: (of) => operands(of).some((text) => SENDING.test(text) || /^[^:/?]+(:=|=|@)/.test(text)),
    seen: "sending data",
  }),
  exfiltration({
    programs: LOADERS,
    when: (of) =>
      of.args.some(
        ({ text, dynamic }) =>
          dynamic === "output" || (dynamic === "value" && text.includes("?") && text.lastIndexOf("$") > text.indexOf("?")),
      ),
    seen: "an address or option that carries the output of a command or a variable",
  }),
  exfiltration({
    programs: LOADERS,
    when: (of) => [...operands(of), ...values(of, "x", ["url", "proxy"])].some(isOwnHost),
    seen: "a request to this machine, or to the service that knows its credentials",
  }),
  exfiltration({ programs: names("nslookup dig host drill kdig delv"), seen: "asking name servers, which carries data out" }),
  exfiltration({ when: socketPath, seen: "/dev/tcp or /dev/udp" }),

  shell({
    when: ({ program }) => /^(nc|ncat|netcat)(\..+)?$|^(socat|telnet|cryptcat|pwncat|rlogin|rsh)$/.test(program),
    seen: "a program that opens raw connections",
  }),
  shell({
    programs: ["openssl"],
    when: (of) => operands(of)[0] === "s_client" || operands(of)[0] === "s_server",
    seen: "`openssl s_client`",
  }),
  shell({ programs: ["mkfifo"], seen: "a named pipe" }),
  shell({ programs: ["mknod"], when: (of) => operands(of).includes("p"), seen: "a named pipe" }),
  shell({ when: socketPath, seen: "/dev/tcp or /dev/udp" }),
  shell({ when: (of) => SOCKETS.test(inlineCode(of)), seen: "a program text that opens connections" }),
  shell({
    programs: names("node nodejs bun deno"),
    when: (of) => STARTING_BY_NODE.test(inlineCode(of)),
    seen: "a program text that starts other programs",
  }),

  recon({
    programs: names("nmap zenmap masscan zmap rustscan arp-scan netdiscover hping hping3 fping unicornscan"),
    seen: "scanning the network",
  }),
  recon({
    programs: names("ssh scp sftp rsync ssh-copy-id mosh sshfs"),
    when: (of) => atUser(of) || (of.program === "ssh" && flag(of, "l")),
    seen: "another machine's account",
  }),
  recon({ programs: ["ssh"], when: (of) => flag(of, "LRDwW"), seen: "a tunnel" }),
  recon({
    programs: names("autossh sshuttle ngrok cloudflared chisel frpc frps bore localtunnel lt ligolo gost"),
    seen: "a tunnel",
  }),

  {
    group: "crypto_mining",
    when: ({ program }) =>
      /^(xmrig|xmr-stak|minerd|cpuminer|cgminer|bfgminer|ethminer|ccminer|nbminer|t-rex|lolminer|phoenixminer|nanominer|gminer|teamredminer|srbminer|claymore)([-_.].*)?$/.test(
        program,
      ),
    seen: "a miner",
  },
  {
    group: "crypto_mining",
    when: (of) => texts(of).some((text) => /^(--?[\w-]+=?)?stratum\d?(\+\w+)?:\/\//i.test(text)) && !anyArg(of, /^commit$/),
    seen: "the address of a mining pool",
  },
];
