/** The groups of what the guard refuses, in the order in which they are named, and what an agent can do instead. */

export const GROUPS = {
  destructive_ops: "Name the files and delete them without force, or ask a person to do it.",
  data_exfiltration:
    "Read public addresses with plain requests, save what you load to a file, and do not run or send anything in the same step.",
  reverse_shell: "Use the tools that are offered for what has to go over the network.",
  code_injection: "Write the command out, as fixed words.",
  privilege_escalation: "Do it with the rights that this user has.",
  dangerous_paths: "Work inside of the working folder, and name paths relative to it.",
  env_injection: "Leave these variables alone, and call programs by their path.",
  container_escape: "Stay inside of the sandbox; leave the kernel's and the container runtime's interfaces alone.",
  crypto_mining: "Leave it out.",
  filter_bypass: "Write programs and their options out, as fixed words.",
  network_recon: "Use the tools that are offered for other machines.",
  package_install: "Work with what is installed, or ask a person to install it.",
  persistence: "Leave out what would run again later.",
  process_control: "Stop a process by its number with a plain `kill NUMBER`.",
  env_dump: "Ask for the one thing that you need to know; the environment holds credentials.",
} as const;
export type Group = keyof typeof GROUPS;
export const GROUP_NAMES = Object.keys(GROUPS) as readonly Group[];
