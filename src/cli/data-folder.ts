/** Which data folder a verb means. */
import { homedir } from "node:os";
import { dataFolder } from "../config/paths.ts";

export const dataFolderOf = (flag: string | undefined): string =>
  dataFolder({
    ...(flag !== undefined && { flag }),
    env: process.env,
    cwd: process.cwd(),
    home: homedir(),
    root: process.getuid?.() === 0,
  });
