-- What must not happen again and what was put right, newest first.
create view lessons as
select id, kind, text, created_at, strength
from memories
where active = 1 and kind in ('correction', 'negative')
order by created_at desc, id desc;
