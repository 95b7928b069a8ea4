/** Reading the log of a data folder from this process, whether its owner runs, has stopped or was killed. */
import { eventDefinitions } from "../../events/all.ts";
import { type OpenReader, openReader } from "../log/reader.ts";
import { type DataFlag, dataFolderOf } from "./data-folder.ts";

/** Opens the log read-only for as long as `use` takes. Throws a `LogError`. */
export async function reading<T>(flag: DataFlag, use: (reader: OpenReader, folder: string) => T | Promise<T>): Promise<T> {
  const folder = dataFolderOf(flag);
  const reader = openReader(folder, eventDefinitions);
  try {
    return await use(reader, folder);
  } finally {
    reader.close();
  }
}
