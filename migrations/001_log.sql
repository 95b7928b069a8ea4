-- The log. Rows are only ever added; the one change allowed is to erase a payload.
create table names (id integer primary key, name text not null unique) strict;
create table builds (id integer primary key, build text not null, version text not null, unique (build, version)) strict;

-- The input of each turn that recorded something, without its free values.
create table turns (
  turn integer primary key,
  at integer not null,
  "to" integer not null,
  command text not null,
  build integer not null
) strict;

-- stream and type are ids in `names`. `hash` covers the row before and every column but `payload`, whose salted digest stands in `data`.
create table events (
  position integer primary key,
  stream integer not null,
  version integer not null,
  type integer not null,
  schema integer not null,
  at integer not null,
  turn integer not null,
  call text,
  data text not null,
  payload text,
  hash blob not null,
  unique (stream, version)
) strict;

create trigger events_no_delete before delete on events begin
  select raise(abort, 'events are append-only');
end;
create trigger events_no_update before update on events
when new.payload is not null
  or new.position is not old.position or new.stream is not old.stream or new.version is not old.version
  or new.type is not old.type or new.schema is not old.schema or new.at is not old.at or new.turn is not old.turn
  or new.call is not old.call or new.data is not old.data or new.hash is not old.hash
begin
  select raise(abort, 'events are append-only: only a payload can be erased');
end;
create trigger turns_no_delete before delete on turns begin
  select raise(abort, 'turns are append-only');
end;
create trigger turns_no_update before update on turns begin
  select raise(abort, 'turns are append-only');
end;

-- Values too large to stand beside their event, by the SHA-256 of their bytes. The largest are files instead.
create table blobs (hash text primary key, bytes integer not null, content blob not null) strict;
-- Blob files whose erasure is committed and that may still have to be unlinked.
create table removals (hash text primary key) strict;

create table snapshots (
  stream integer primary key,
  version integer not null,
  shape integer not null,
  state text not null,
  hash blob not null
) strict;

create table definitions (hash text primary key, json text not null) strict;
-- Each holds the whole log: they change in the append's own transaction. position: of the log when the tables were last rebuilt.
-- tables: their names, as JSON. hash covers the row.
create table projections (
  name text primary key,
  version integer not null,
  position integer not null,
  tables text not null,
  hash blob not null
) strict;
create table meta (key text primary key, value text not null) strict;

-- For people with the sqlite3 program.
create view events_view as
select e.position, s.name as stream, e.version, t.name as type, e.schema,
  strftime('%Y-%m-%dT%H:%M:%S', e.at / 1000, 'unixepoch') || printf('.%03dZ', e.at % 1000) as at,
  e.turn, e.call, e.data, e.payload, lower(hex(e.hash)) as hash
from events e join names s on s.id = e.stream join names t on t.id = e.type;
