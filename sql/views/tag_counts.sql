-- Every tag with how many memories that hold were given it, and for how many it was inferred (edges of .4).
create view tag_counts as
select
    t.name as tag,
    count(m.id) filter (where e.weight > 0.4) as given,
    count(m.id) filter (where e.weight <= 0.4) as inferred,
    t.description
from tags t
left join edges e on e.dst = t.id and e.kind = 'has_tag'
left join memories m on m.id = e.src and m.active = 1
group by t.id
order by count(m.id) desc, t.name;
