-- Memories about code that has changed, moved or gone since: select * from stale; memkit stale says where it is now.
create view stale as
with held(memory_id, path, symbol, hash, digest) as (
    select a.memory_id, a.path, a.symbol, lower(hex(f.hash)), 0
    from anchors a
    join code_files f on f.path = a.path
    where a.symbol = ''
    union all
    select a.memory_id, a.path, a.symbol, printf('%08x', s.digest), s.digest
    from anchors a
    join code_files f on f.path = a.path
    cross join code_symbols s on s.file = f.id
    left join code_symbols p on p.id = s.parent
    where a.symbol <> '' and (a.symbol = s.spelled and p.id is null
        or substr('.' || a.symbol, -length(p.name) - length(s.name) - 2) = '.' || p.name || '.' || s.name)
),
-- What reads as a symbol did: by its own name anywhere it was moved; by another in the same class, renamed.
alike(path, name, around, hash) as materialized (
    select f.path, s.name, coalesce(p.name, ''), printf('%08x', s.digest)
    from code_symbols s
    join code_files f on f.id = s.file
    left join code_symbols p on p.id = s.parent
    where printf('%08x', s.digest) in (select symbol_hash from anchors where symbol <> '')
),
noted(memory_id, path, symbol, hash, around, name) as (
    -- What stands before the last dot is left when all that is no dot is cut off behind.
    select memory_id, path, symbol, symbol_hash, '.' || rtrim(symbol, replace(symbol, '.', '')),
        substr(symbol, length(rtrim(symbol, replace(symbol, '.', ''))) + 1)
    from anchors
)
select m.id, a.path, a.symbol,
    case
        when count(h.hash) > 0 then 'changed'
        when a.hash is null then 'unknown'
        when exists (select 1 from alike s where s.hash = a.hash and s.name = a.name) then 'moved'
        when 1 = (select count(*) from alike s where s.hash = a.hash and s.path = a.path
            and substr(a.around, -length(s.around) - 2) = rtrim('.' || s.around, '.') || '.') then 'renamed'
        else 'not there'
    end as what, m.text
from noted a
join memories m on m.id = a.memory_id
left join held h on h.memory_id = a.memory_id and h.path = a.path and h.symbol = a.symbol
where m.active = 1 and exists (select 1 from code_files)
group by a.memory_id, a.path, a.symbol
having count(h.hash) = 0 or a.hash <> '' and max(h.hash = a.hash) = 0
    and printf('%08x', sum(h.digest) & 4294967295) <> a.hash;
