/** Rules over what destroys: files, disks, the running system. */
import { anyArg, flag, inlineCode, operands, verb, written } from "./asking.ts";
import type { Invocation } from "./invocation.ts";
import { names, type Rule } from "./rule.ts";

const DISK = /^\/dev\/(sd|hd|vd|xvd|nvme|mmcblk|disk|rdisk|mapper\/|md\d|dm-|sr\d|loop|mem$|kmem$|port$)/;
const DELETING =
  /\b(unlink|unlinkSync|rmtree|rm_rf|rm_r|remove_tree|removedirs|rmdir|rmSync|rmdirSync)\b|\bos\.remove\b|\bFile\.delete\b|\bFileUtils\.rm|\bfs\.rm\b|\bDeno\.remove|\bfs\.promises\.rm\b/;
const DRIVE = /^[a-z]:[\\/]?$/i;

/** A function that starts itself beside itself. */
const multiplies = ({ name, functions, isBeside }: Invocation): boolean => isBeside && name !== undefined && functions.includes(name.text);

const destructive = (rule: Omit<Rule, "group">): Rule => ({ group: "destructive_ops", ...rule });

export const DESTRUCTIVE: readonly Rule[] = [
  destructive({
    programs: ["rm", "grm", "srm"],
    when: (of) => flag(of, "rRf", ["recursive", "force", "no-preserve-root"]),
    seen: "`rm` with -r or -f",
  }),
  destructive({
    programs: ["rm", "grm", "srm", "unlink", "rmdir"],
    when: ({ via }) => via.some((name) => /^(g?find|fd|fdfind|xargs|parallel)$/.test(name)),
    seen: "deleting whatever is found",
  }),
  destructive({ programs: ["find", "gfind"], when: (of) => anyArg(of, /^-delete$/), seen: "`find -delete`" }),
  destructive({ programs: names("shred wipe truncate gtruncate"), seen: "overwriting or emptying files" }),
  destructive({
    programs: names("del erase rmdir rd"),
    when: (of) => anyArg(of, /^\/[sqf]\b/i),
    seen: "deleting with /s, /q or /f",
  }),
  destructive({
    programs: names("remove-item ri del erase rd rmdir rm"),
    when: (of) => anyArg(of, /^-(rec?|recu.*|fo.*)$/i),
    seen: "deleting recursively or by force",
  }),
  destructive({
    when: ({ program }) => /^(mkfs(\..*)?|mke2fs|mkswap|wipefs|blkdiscard|diskpart)$/.test(program),
    seen: "making a file system, or wiping one",
  }),
  destructive({
    programs: ["format"],
    when: (of) => operands(of).some((text) => DRIVE.test(text) || text.startsWith("/dev/")),
    seen: "formatting a device or drive",
  }),
  destructive({ programs: ["dd", "gdd"], when: (of) => anyArg(of, /^(if=|of=\/dev\/)/), seen: "copying blocks with `dd`" }),
  destructive({ when: (of) => written(of).some((path) => DISK.test(path)), seen: "writing to a device" }),
  destructive({ programs: names("shutdown reboot poweroff halt"), seen: "stopping the machine" }),
  destructive({ programs: ["init", "telinit"], when: (of) => anyArg(of, /^[06]$/), seen: "stopping the machine" }),
  destructive({
    programs: ["systemctl", "loginctl"],
    when: (of) => verb(of, names("suspend hibernate hybrid-sleep suspend-then-hibernate poweroff reboot halt kexec soft-reboot")),
    seen: "stopping the machine",
  }),
  destructive({ when: multiplies, seen: "a function that starts itself again and again" }),
  destructive({
    programs: ["git"],
    when: (of) => operands(of)[0] === "clean" && of.args.some(({ text }) => /^-[a-z]*f|^--f/.test(text)),
    seen: "`git clean` by force",
  }),
  destructive({ when: (of) => DELETING.test(inlineCode(of)), seen: "a program text that deletes files" }),
];
