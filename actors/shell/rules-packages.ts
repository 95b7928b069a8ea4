/** Rules over what brings other people's programs in. */
import { flag, operands, verb } from "./asking.ts";
import { names, type Rule } from "./rule.ts";

/** Program → what of it installs; without verbs the program does nothing else. */
const MANAGERS: Readonly<Record<string, string>> = {
  "apt apt-get aptitude": "install reinstall upgrade full-upgrade dist-upgrade build-dep remove purge autoremove satisfy",
  "yum dnf microdnf tdnf": "install reinstall localinstall groupinstall upgrade update remove erase in up module swap",
  zypper: "install in update up dist-upgrade dup remove rm patch",
  apk: "add del upgrade fix",
  "brew port": "install reinstall upgrade tap bundle",
  "snap flatpak": "install refresh update",
  "choco scoop winget": "install upgrade update import",
  "pip pip3 pipx": "install download run inject upgrade wheel runpip",
  "conda mamba micromamba": "install create update env run",
  poetry: "add install update",
  pdm: "add install update",
  "easy_install cpan cpanm uvx npx bunx pnpx pacstrap emerge nix-env nix-shell": "",
  npm: "i in ins inst install install-test it ci clean-install isntall add exec x init create update up upgrade link ln",
  pnpm: "i install add dlx create update up exec import",
  yarn: "add install dlx create upgrade up global",
  bun: "add install i x create update link",
  deno: "install add jupyter",
  cargo: "install add binstall",
  go: "install get",
  "gem bundle bundler": "install update add i",
  composer: "install require update create-project global",
  luarocks: "install make build",
  dotnet: "add tool",
  nix: "run shell profile develop",
  opkg: "install upgrade",
  helm: "install upgrade",
};

const install = (rule: Omit<Rule, "group" | "seen">): Rule => ({ group: "package_install", seen: "installing packages", ...rule });

export const PACKAGES: readonly Rule[] = [
  ...Object.entries(MANAGERS).map(([programs, verbs]) =>
    install({ programs: names(programs), ...(verbs !== "" && { when: (of) => verb(of, names(verbs)) }) }),
  ),
  install({ programs: ["yarn"], when: ({ args }) => args.length === 0 }),
  install({
    programs: ["uv"],
    when: (of) => verb(of, names("add sync run tool python")) || /^pip (install|sync)/.test(operands(of).slice(0, 2).join(" ")),
  }),
  install({
    programs: ["python"],
    when: ({ args }) =>
      /(^| )-m *(pip|ensurepip|pipx|easy_install)( |$)/.test(
        args
          .slice(0, 6)
          .map(({ text }) => text)
          .join(" "),
      ) && !args.some(({ text }) => /^(list|show|freeze|check|--version|-V|--help)$/.test(text)),
  }),
  install({ programs: ["pacman", "yay", "paru"], when: (of) => flag(of, "SRU", ["sync", "remove", "upgrade"]) }),
  install({
    programs: ["dpkg", "rpm"],
    when: (of) => flag(of, "iUFe", ["install", "upgrade", "unpack", "erase", "reinstall"]) && !flag(of, "q", ["query"]),
  }),
];
