/** Which data folder a verb means. */
import { homedir } from "node:os";
import { dataFolder } from "../config/paths.ts";

export interface DataFlag {
  /** `--data`. */
  readonly data?: string;
}

/** Absolute. */
export const dataFolderOf = ({ data }: DataFlag): string =>
  dataFolder({
    ...(data !== undefined && { flag: data }),
    env: process.env,
    cwd: process.cwd(),
    home: homedir(),
    root: process.getuid?.() === 0,
  });
