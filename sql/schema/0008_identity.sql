-- Statements that differ in capitals alone are one (memkit/memories/identity.py): an older memkit takes the content
-- hashes of this one for edits of another program, so it is not to open the file. The hashes of a file that comes from
-- one are made anew before its next question: it counts as edited outside.

create temporary table before as select * from settings;
drop table settings;
create table settings ( -- shared: what holds for everybody who uses this file: relations of its memories to global ones
    name text primary key, -- dotted name: global.KIND.FROM.TO for a relation between the memories of two ids
    value text not null check (json_valid(value)), -- JSON; of a relation an object (memkit/memories/global_relations.py)
    updated_at text not null -- UTC, YYYY-MM-DDTHH:MM:SS.sssZ as all times here
) strict, without rowid;
insert into settings (name, value, updated_at)
select name, value, updated_at
from before;
drop table before;

update change_counters
set change_counter = -2;
