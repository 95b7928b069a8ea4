/** Rules over the system: rights, protected places, the container's walls, what runs again later, other processes. */
import { anyArg, flag, lastPart, named, operands, pathOf, texts, values, verb, written } from "./asking.ts";
import type { Group } from "./groups.ts";
import type { Invocation } from "./invocation.ts";
import { names, type Rule } from "./rule.ts";

const of = (group: Group, rule: Omit<Rule, "group">): Rule => ({ group, ...rule });

/** Mounts, namespaces and capabilities: they lead out of a container, and they are rights that are gained. Both groups hold them. */
const WALLS = names("nsenter unshare mount umount capsh setcap getcap");
const PROTECTED = /^\/(etc|root|boot|bin|sbin|lib|lib32|lib64|usr\/(bin|sbin|lib))(\/|$)/;
const TEMPORARY = /^\/(tmp|var\/tmp|dev\/shm|private\/tmp)(\/|$)/;
const START_FILE =
  /(^|\/)(\.bashrc|\.bash_profile|\.bash_login|\.bash_logout|\.bash_aliases|\.profile|\.zshrc|\.zprofile|\.zshenv|\.zlogin|\.zlogout|\.kshrc|\.cshrc|\.tcshrc|\.login|\.inputrc|\.xinitrc|\.xsession|\.xprofile|config\.fish|\.pam_environment|\.ssh\/(authorized_keys2?|rc)|\.config\/(autostart|systemd|environment\.d)\/.*|LaunchAgents\/.*|LaunchDaemons\/.*)$/;
const START_PLACE =
  /^\/(etc\/(profile|profile\.d\/.*|bash\.bashrc|bashrc|zsh.*|environment|rc\.local|rc\d?\.d\/.*|init\.d\/.*|cron.*|anacrontab|crontab|systemd\/.*|xdg\/autostart\/.*)|(usr\/)?lib\/systemd\/.*|var\/spool\/cron.*)$/;
const ENGINES = names("docker podman nerdctl ctr crictl");
const ENGINE_SOCKET = /(docker|containerd|crio|podman|buildkitd)\.sock$/;
const KERNEL = /^\/(proc\/(sys|sysrq-trigger|kcore|\d+\/(root|ns|mem)|self\/(root|ns|mem)|1)|sys)(\/|$)/;
const LOOSE_MOUNT = /^(\/|\/(etc|root|home|boot|proc|sys|dev|run|var|var\/run|var\/lib|usr|bin|lib)(\/.*)?)$/;

const isOctal = (mode: string) => /^[0-7]{3,4}$/.test(mode);
const givesRun = (mode: string): boolean => /[+=][rwst]*x/i.test(mode) || (isOctal(mode) && /[1357]/.test(mode.slice(-3)));
/** The mode of `chmod`; one like `-x` looks like an option. */
const modeOf = (command: Invocation): string => operands(command)[0] ?? "";
const absolute = (command: Invocation): readonly string[] =>
  operands(command)
    .slice(1)
    .filter((text) => text.startsWith("/"))
    .map(pathOf);

function mountsHost(command: Invocation): boolean {
  const [first, second] = operands(command);
  if (!/^(run|create|exec)$/.test(first ?? "") && !/^(run|create|exec)$/.test(second ?? "")) return false;
  const words = texts(command);
  return words.some((text, at) => {
    const next = words[at + 1] ?? "";
    if (/^--privileged(=true)?$|^--(pid|ipc|uts|userns|cgroupns|network|net)=host$|^--(cap-add|device|security-opt)(=|$)/.test(text))
      return true;
    if (/^--(pid|ipc|uts|userns|network|net)$/.test(text) && next === "host") return true;
    const volume = /^(?:-v|--volume)$/.test(text) ? next : /^(?:-v=?|--volume=)(.+)$/.exec(text)?.[1];
    const mount = text === "--mount" ? next : /^--mount=(.+)$/.exec(text)?.[1];
    const source = volume?.split(":")[0] ?? /(?:^|,)(?:source|src)=([^,]+)/.exec(mount ?? "")?.[1];
    return source !== undefined && LOOSE_MOUNT.test(pathOf(source));
  });
}

const isStrongSignal = (text: string): boolean => /^(-?9|-?(SIG)?(KILL|STOP))$/i.test(text);

export const SYSTEM: readonly Rule[] = [
  of("privilege_escalation", {
    programs: names("sudo sudoedit su doas pkexec runuser chroot gosu su-exec setpriv run0 runas"),
    seen: "taking on the rights of another user",
  }),
  of("privilege_escalation", { programs: WALLS, seen: "mounts, namespaces or capabilities" }),
  of("privilege_escalation", {
    programs: ["chmod", "install"],
    when: (command) =>
      [modeOf(command), ...values(command, "m", ["mode"])].some(
        (mode) => /[+=][rwxXt]*s/.test(mode) || (/^[0-7]{4}$/.test(mode) && /^[246-7]/.test(mode)),
      ),
    seen: "a program that runs with its owner's rights",
  }),
  of("privilege_escalation", { programs: names("visudo vipw useradd usermod adduser passwd chpasswd gpasswd"), seen: "changing users" }),

  of("dangerous_paths", {
    programs: ["chmod"],
    when: (command) => absolute(command).some((path) => isOctal(modeOf(command)) || PROTECTED.test(path) || path === "/"),
    seen: "`chmod` of an absolute path",
  }),
  of("dangerous_paths", {
    programs: ["chown", "chgrp"],
    when: (command) => operands(command).some((text) => text.startsWith("/")),
    seen: "changing the owner of an absolute path",
  }),
  of("dangerous_paths", {
    programs: ["chmod"],
    when: (command) => givesRun(modeOf(command)) && absolute(command).some((path) => TEMPORARY.test(path)),
    seen: "making a file in a temporary folder executable",
  }),
  of("dangerous_paths", {
    when: (command) => written(command).some((path) => PROTECTED.test(path)),
    seen: "writing to a folder of the system",
  }),

  of("container_escape", { programs: WALLS, seen: "mounts, namespaces or capabilities" }),
  of("container_escape", {
    when: (command) =>
      named(command).some((path) => ENGINE_SOCKET.test(path)) || anyArg(command, /(docker|containerd|crio|podman)\.sock\b/),
    seen: "the socket of a container runtime",
  }),
  of("container_escape", {
    when: (command) => [...named(command), ...written(command)].some((path) => KERNEL.test(path)),
    seen: "/proc/sys or /sys",
  }),
  of("container_escape", {
    when: (command) => written(command).some((path) => lastPart(path) === "release_agent" || path === "/proc/self/uid_map"),
    seen: "settings of control groups",
  }),
  of("container_escape", { programs: ENGINES, when: mountsHost, seen: "a container that reaches the host" }),
  of("container_escape", {
    programs: names("insmod modprobe rmmod kexec pivot_root"),
    seen: "changing the kernel",
  }),

  of("persistence", { programs: ["crontab"], when: (command) => !flag(command, "l"), seen: "`crontab`" }),
  of("persistence", { programs: names("at batch"), when: (command) => !flag(command, "l"), seen: "work that runs later" }),
  of("persistence", {
    programs: ["systemctl"],
    when: (command) => verb(command, names("enable reenable link edit preset add-wants add-requires set-default daemon-reload")),
    seen: "services that start by themselves",
  }),
  of("persistence", {
    programs: names("update-rc.d chkconfig rc-update"),
    seen: "services that start by themselves",
  }),
  of("persistence", {
    programs: ["launchctl"],
    when: (command) => verb(command, names("load bootstrap enable submit")),
    seen: "services that start by themselves",
  }),
  of("persistence", { programs: ["schtasks"], when: (command) => anyArg(command, /^\/(create|change)$/i), seen: "work that runs later" }),
  of("persistence", {
    when: (command) => written(command).some((path) => START_FILE.test(path) || START_PLACE.test(path)),
    seen: "writing to a file that is run at every start",
  }),

  of("process_control", {
    programs: ["kill"],
    when: (command) => texts(command).some(isStrongSignal) || values(command, "sn", ["signal"]).some(isStrongSignal),
    seen: "`kill` with a signal that cannot be caught",
  }),
  of("process_control", {
    programs: ["kill"],
    when: (command) => texts(command).slice(1).includes("-1"),
    seen: "`kill` of every process",
  }),
  of("process_control", {
    programs: names("killall killall5 pkill skill slay xkill taskkill stop-process"),
    seen: "stopping processes by name",
  }),
  of("process_control", { programs: ["fuser"], when: (command) => flag(command, "k", ["kill"]), seen: "stopping whoever uses a file" }),
];
