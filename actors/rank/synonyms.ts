/** Words that people and tools use for one thing: verbs of tools, kinds of files, and everyday nouns of APIs. No names of products but those that stand for a file format. */
import { stemOf } from "./stem.ts";

/** One line, one meaning; a word may have several. */
const GROUPS = `
find search lookup discover locate query seek
get fetch retrieve obtain receive load read access view show open
list enumerate
create make generate build new produce add
add insert append put attach
write save store export put
delete remove erase drop
update edit modify change set
rename move
send post submit deliver
run execute start launch
stop end kill terminate cancel
convert transform conversion
merge combine join concatenate
compare diff difference comparison
calculate compute calculator calculation math
check verify validate
summarize summary
navigate open visit goto
translate translation
draw plot render paint
chart graph plot diagram
picture image photo figure
movie film video
music song audio sound
folder directory dir
document doc docx word
spreadsheet excel xlsx xls sheet workbook
slide powerpoint pptx presentation ppt
text txt
markdown md
picture png jpg jpeg gif
web browser website page internet url site
mail email inbox
message chat
now current today latest recent
date calendar day
time clock
appointment meeting event
price cost quote
currency exchange
trend trending popular hot rank ranking
news headline article story
paper article publication
person people user member
info information detail data
coordinate geocode latitude longitude
route direction
repository repo
ticket issue
database db sql
dependency package library
test check
error exception failure
config configuration setting option
`;

const groups = GROUPS.trim()
  .split("\n")
  .map((line) => line.split(" ").map(stemOf));

const table = new Map<string, ReadonlySet<string>>();
for (const group of groups)
  for (const word of group) table.set(word, new Set([...(table.get(word) ?? []), ...group.filter((other) => other !== word)]));

/** Of a stem, as stems. */
export const synonymsOf = (word: string): Iterable<string> => table.get(word) ?? [];
